//! The message should say: this rail has no events: write `#[on(PreToolCall)]` above at least one of its methods.

use exo_rails::prelude::*;

struct Budget;

#[rail(priority = 10)]
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
