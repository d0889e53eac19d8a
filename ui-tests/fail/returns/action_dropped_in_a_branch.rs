//! The message should say: the decision is dropped, and is `must_use`: write `return`; and nothing of type parameters.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "shell" {
        RailAction::abort("no shell");
    }
    RailAction::Continue
}

fn main() {
    let _ = rail_chain![guard];
}
