//! The message should say: an abort has a reason: `RailAction::abort("…")`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "shell" { RailAction::abort() } else { RailAction::Continue }
}

fn main() {
    let _ = rail_chain![guard];
}
