//! The message should say: `from_toml` can read any type, and the type is not known where `read.rules` is used: write
//! `let read: ApprovalConfig = …`.
use exo_rails::prelude::*;
use exo_rails_guards::{Approval, config};

rail_chain! {
    struct MuseumRails { approval: Approval }
}

const RULES: &str = "
timeout_ms = 60_000

[[rules]]
tool = 'lend'
because = 'the curator decides about loans'
";

fn rails() -> Result<MuseumRails, exo_rails_guards::ConfigError> {
    let read = config::from_toml(RULES)?; // <- here
    println!("{} rules ask a person", read.rules.len());
    Ok(MuseumRails { approval: Approval::new(read)? })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rails = rails()?;
    assert!(rails.approval.needs_approval(&ToolCallInputs::new("lend")));
    let show = |_| async { Ok::<_, OperationError>(ToolOutput::text("a vase")) };
    println!("{}", rails.guard_tool_call(ToolCallInputs::new("show"), &mut RunContext::new("museum"), show).await?.content);
    Ok(())
}
