//! The requirements name `Permissions`, and the chain has this guard only inside its kit, where it may be absent. An ideal
//! message would say so, and to list the guard in the chain itself: `permissions: Permissions`.

use exo_rails::prelude::*;
use exo_rails::{Meets, chain_requirements};
use exo_rails_guards::{Kit, Permissions};

const POLICY: &str = "[permissions]
rules = [{ tool = 'read_chart', decision = 'allow' }, { tool = 'delete_*', decision = 'deny' }]

[budgets]
limits = [{ name = 'charts', of = 'tool_calls', most = 50 }]";

chain_requirements! {
    /// No agent of the hospital runs without permissions.
    struct Hospital { require(Permissions on PreToolCall) }
}

rail_chain! {
    #[chain(requirements = Hospital)]
    struct WardRails { kit: Kit }
}

fn on_the_ward(rails: impl Meets<Hospital>) -> impl GuardSet {
    rails
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rails = on_the_ward(WardRails { kit: Kit::from_toml(POLICY)? });
    let chart = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>("pulse 72");
    let output = rails.guard_tool_call(ToolCallInputs::new("read_chart"), &mut RunContext::new("ward"), chart).await?;
    println!("{}", output.content);
    Ok(())
}
