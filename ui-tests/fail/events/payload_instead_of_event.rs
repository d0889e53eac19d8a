//! The message should say: `ToolCallInputs` is what events carry, and not an event.

use exo_rails::prelude::*;

#[rail(on = [ToolCallInputs])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    RailAction::abort(format!("{} is off limits", call.tool_name))
}

fn main() {
    let _ = rail_chain![guard];
}
