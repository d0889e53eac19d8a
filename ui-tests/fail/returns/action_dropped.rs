//! The message should say: a dropped decision has no effect: return it.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) {
    if call.tool_name == "shell" {
        RailAction::abort("no shell");
    }
}

fn main() {
    let _ = rail_chain![guard];
}
