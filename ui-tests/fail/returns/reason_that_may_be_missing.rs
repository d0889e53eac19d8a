//! The message should say: a reason is a text, not an `Option`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "shell" { RailAction::abort(Some("no shell")) } else { RailAction::Continue }
}

fn main() {
    let _ = rail_chain![guard];
}
