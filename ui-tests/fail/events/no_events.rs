//! The message should say: the rail `guard` has no events: write `on = [PreToolCall]`.

use exo_rails::prelude::*;

#[rail(priority = 10)]
async fn guard(call: &ToolCallInputs) -> RailAction {
    RailAction::abort(format!("{} is off limits", call.tool_name))
}

fn main() {
    let _ = rail_chain![guard];
}
