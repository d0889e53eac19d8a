//! A rail around an operation runs after all rails that decide at the event. Requirements of the order compare rails around
//! the operation only with each other.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

#[rail(priority = 90, on = [PreToolCall])]
fn audit_log() {}

#[rail(priority = 1, on = [PreToolCall], around)]
async fn outermost(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    next.run().await
}

#[rail(priority = 99, on = [PreToolCall], around, after = [audit_log])]
async fn innermost(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    next.run().await
}

rail_chain! {
    #[chain(
        first(permission_check on PreToolCall),
        last(audit_log on PreToolCall),
        first(outermost on PreToolCall),
        last(innermost on PreToolCall),
        before(permission_check, outermost, innermost),
        before(audit_log, outermost)
    )]
    struct MyRails { outermost, innermost, audit_log, permission_check }
}

rail_chain! { struct Inner { outermost, permission_check } }

rail_chain! {
    #[chain(first(permission_check on PreToolCall), last(innermost on PreToolCall))]
    struct Outer { Inner, innermost }
}

#[test]
fn compiles_and_runs() {
    let _ = (MyRails {}, Outer {});
}
