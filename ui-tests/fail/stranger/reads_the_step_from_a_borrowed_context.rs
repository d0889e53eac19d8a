//! The message should say: the guard borrows `ctx` mutably until the call ends, so the closure cannot use it. Take what the
//! tool needs from the permit, `call.scope()` or `call.context()`, or read it before the call.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn no_writes(call: &ToolCallInputs) -> RailAction {
    if call.tool_name.starts_with("write_") { RailAction::skip("the docs are read-only") } else { RailAction::Continue }
}

rail_chain! {
    struct DocsRails { no_writes }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let mut ctx = RunContext::new("docs").with_run_id("nightly");
    for step in 0..3 {
        ctx.set_step(step);
        let grep = |_: Permit<ToolCallInputs>| {
            let step = ctx.step();
            async move { Ok::<_, OperationError>(format!("{step} matches")) }
        };
        let output = DocsRails.guard_tool_call(ToolCallInputs::new("grep"), &mut ctx, grep).await?; // <- here
        assert_eq!(output.content, format!("{step} matches"));
    }
    Ok(())
}
