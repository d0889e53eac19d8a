//! The message should say: `read.mode` is a `GuardMode`, the mode in a policy file, and `InMode::new` takes an `exo_rails::Mode`:
//! write `Mode::Shadow`, or convert each `GuardMode` to the `Mode` of the same name.
use exo_rails::InMode;
use exo_rails::prelude::*;
use exo_rails_guards::Loops;
use exo_rails_guards::config::{self, WithMode};
use exo_rails_guards::loops::LoopsConfig;

rail_chain! {
    struct CrawlerRails { loops: InMode<Loops> }
}

const LOOPS: &str = "
mode = 'shadow'
exempt = ['wait']
";

fn rails() -> Result<CrawlerRails, exo_rails_guards::ConfigError> {
    let read: WithMode<LoopsConfig> = config::from_toml(LOOPS)?;
    let loops = Loops::new(read.config)?;
    Ok(CrawlerRails { loops: InMode::new(read.mode, loops) }) // <- here
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (rails, mut ctx) = (rails()?, RunContext::new("crawler"));
    for page in ["a", "b"] {
        let fetch = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>(ToolOutput::text(page));
        println!("{}", rails.guard_tool_call(ToolCallInputs::new("fetch"), &mut ctx, fetch).await?.content);
    }
    Ok(())
}
