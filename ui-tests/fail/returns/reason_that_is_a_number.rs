//! The message should say: a reason is a text, not a number.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "shell" { RailAction::abort(404) } else { RailAction::Continue }
}

fn main() {
    let _ = rail_chain![guard];
}
