//! The message should say: the events of an `impl` block stand on its methods: write `#[on(PreToolCall)]` above each.

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
