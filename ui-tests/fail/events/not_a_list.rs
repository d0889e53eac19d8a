//! The message should say: `on` takes a list of events: `on = [PreToolCall]`.

use exo_rails::prelude::*;

#[rail(on = PreToolCall)]
async fn guard(call: &ToolCallInputs) -> RailAction {
    RailAction::abort(format!("{} is off limits", call.tool_name))
}

fn main() {
    let _ = rail_chain![guard];
}
