//! What it shows: a tool that replaces an optional rail of its own chain, and `LiveRails` that a clone attaches to and detaches
//! from.

use exo_rails::prelude::*;
use exo_rails::{LiveRails, Reloadable};

struct Freeze {
    because: &'static str,
}

#[rail(priority = 10)]
impl Freeze {
    #[on(PreToolCall)]
    fn writes(&self, call: &ToolCallInputs) -> RailAction {
        if call.tool_name == "status" { RailAction::Continue } else { RailAction::skip(self.because) }
    }
}

rail_chain! {
    struct OpsRails { freeze: Reloadable<Option<Freeze>> }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let freeze = Reloadable::new(None::<Freeze>);
    let rails = OpsRails { freeze: freeze.clone() };
    let mut ctx = RunContext::new("ops");
    let tool = async |call: Permit<ToolCallInputs>| {
        if call.tool_name == "deploy" {
            freeze.replace(Some(Freeze { because: "a deploy is running" }));
        }
        Ok::<_, OperationError>(format!("{} is done", call.tool_name))
    };
    let first = rails.guard_tool_call(ToolCallInputs::new("deploy"), &mut ctx, &tool).await?;
    assert_eq!(first.content, "deploy is done");
    let second = rails.guard_tool_call(ToolCallInputs::new("deploy"), &mut ctx, &tool).await?;
    assert!(second.content.ends_with("a deploy is running"));
    assert!(freeze.current().is_some());
    freeze.replace(None);
    assert_eq!(rails.guard_tool_call(ToolCallInputs::new("restart"), &mut ctx, &tool).await?.content, "restart is done");

    let live = LiveRails::new();
    let of_the_agent = live.clone();
    let handle = live.attach_named("weekend", Freeze { because: "it is Sunday" })?;
    let output = of_the_agent.guard_tool_call(ToolCallInputs::new("restart"), &mut ctx, &tool).await?;
    assert!(output.content.contains("`weekend`"));
    assert!(live.detach(handle) && !live.detach(handle));
    let output = of_the_agent.guard_tool_call(ToolCallInputs::new("restart"), &mut ctx, &tool).await?;
    assert_eq!(output.content, "restart is done");
    Ok(())
}
