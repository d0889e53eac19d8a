//! The message should say: there is no event `PreTollCall`; did you mean `PreToolCall`?

use exo_rails::prelude::*;

struct Budget;

#[rail]
impl Budget {
    #[on(PreTollCall)]
    async fn before(&self, call: &ToolCallInputs) -> RailAction {
        RailAction::abort(format!("{} is off limits", call.tool_name))
    }
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {}
