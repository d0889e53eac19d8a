//! The message should say: a skip has a reason, also with a substitute: `RailAction::skip_with(output, "…")`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> RailAction<ToolOutput> {
    if call.tool_name == "shell" { RailAction::skip_with(ToolOutput::text("cached")) } else { RailAction::Continue }
}

fn main() {
    let _ = rail_chain![guard];
}
