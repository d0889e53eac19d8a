//! The message should say: the field `secrets` holds a guard in a mode, and this is the guard alone: write
//! `InMode::new(Mode::Shadow, Secrets::builder().build()?)`.
use exo_rails::InMode;
use exo_rails::prelude::*;
use exo_rails_guards::{Secrets, Sizes};

rail_chain! {
    struct LogRails {
        sizes: Sizes,
        /// We only want to know what it would hide.
        secrets: InMode<Secrets>,
    }
}

fn rails() -> Result<LogRails, exo_rails_guards::ConfigError> {
    Ok(LogRails {
        sizes: Sizes::builder().max_output_bytes(4_000).build()?,
        secrets: Secrets::builder().build()?, // <- here
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tail = |_| async { Ok::<_, OperationError>(ToolOutput::text("GET /login?password=hunter22222222")) };
    let output = rails()?.guard_tool_call(ToolCallInputs::new("tail"), &mut RunContext::new("logs"), tail).await?;
    println!("{}", output.content);
    Ok(())
}
