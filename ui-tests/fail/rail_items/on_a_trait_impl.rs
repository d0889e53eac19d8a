//! The message should say: a rail's methods stand in an `impl` block of the type itself, not of a trait for it.

use exo_rails::prelude::*;

struct Budget;

trait Guard {
    async fn before(&self, call: &ToolCallInputs) -> RailAction;
}

#[rail]
impl Guard for Budget {
    #[on(PreToolCall)]
    async fn before(&self, call: &ToolCallInputs) -> RailAction {
        RailAction::abort(call.tool_name.clone())
    }
}

fn main() {
    let _ = Budget.before(&ToolCallInputs::new("shell"));
}
