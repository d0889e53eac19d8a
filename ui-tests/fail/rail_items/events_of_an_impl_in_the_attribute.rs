//! The message should say: the methods of an `impl` block have its events: write `#[on(PreToolCall)]` above each method.

use exo_rails::prelude::*;

struct Budget;

#[rail(on = [PreToolCall])]
impl Budget {
    async fn before(&self, call: &ToolCallInputs) -> RailAction {
        RailAction::abort(call.tool_name.clone())
    }
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {}
