//! The message should say: a skip has a reason: `RailAction::skip("…")`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "shell" { RailAction::skip() } else { RailAction::Continue }
}

fn main() {
    let _ = rail_chain![guard];
}
