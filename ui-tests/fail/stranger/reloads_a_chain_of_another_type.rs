//! The message should say: a `Reloadable<DayRails>` holds a `DayRails` for ever. To switch between chains, hold a
//! `Reloadable<DynGuardSet>`, and replace it with `DynGuardSet::new(NightRails)`.

use exo_rails::Reloadable;
use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn only_locks(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "lock_door" { RailAction::Continue } else { RailAction::skip("the house sleeps") }
}

#[rail(priority = 90, on = [PreToolCall])]
fn diary(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! { struct DayRails { diary } }
rail_chain! { struct NightRails { only_locks, diary } }

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let rails = Reloadable::new(DayRails);
    let mut ctx = RunContext::new("house");
    let tool = |call: Permit<ToolCallInputs>| async move { Ok::<_, OperationError>(call.tool_name.clone()) };
    rails.guard_tool_call(ToolCallInputs::new("play_music"), &mut ctx, tool).await?;
    rails.replace(NightRails); // <- here
    rails.guard_tool_call(ToolCallInputs::new("play_music"), &mut ctx, tool).await?;
    Ok(())
}
