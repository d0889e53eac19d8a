//! The message should say: this list has no events: write at least one.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    RailAction::abort(format!("{} is off limits", call.tool_name))
}

fn main() {
    let _ = rail_chain![guard];
}
