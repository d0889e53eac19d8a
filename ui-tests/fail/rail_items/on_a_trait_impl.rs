//! The message should say: `#[rail]` cannot be on the `impl` of a trait: write an `impl` block of the type itself.

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
