//! A plain hook takes `&ToolCallInputs` like a rail, but a hook takes `Inputs<'_>`. An ideal message shows the signature of a hook,
//! and says that a function with `&ToolCallInputs` is a rail: write `#[rail(on = [PreToolCall])]` and register its chain.

use exo_rails::prelude::*;

/// Counts how often each tool is called in a run.
async fn count_calls(call: &ToolCallInputs, ctx: &mut RailContext) {
    ctx.run.state().update(call.tool_name.as_str(), |count| *count = (count.as_u64().unwrap_or(0) + 1).into());
}

#[rail(priority = 10, on = [PreToolCall])]
fn no_live_trains(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "set_signal", "the planner does not set signals")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RailFault> {
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PreToolCall, count_calls);
    rail_chain![no_live_trains].register(&mut hooks);

    let mut ctx = RunContext::new("timetable");
    let decision = hooks.dispatch::<PreToolCall>(&mut ToolCallInputs::new("find_train"), &mut ctx).await?;
    assert!(decision.is_continue());
    assert_eq!(ctx.run.state().get("find_train"), Some(1.into()));
    Ok(())
}
