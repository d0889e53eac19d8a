//! The message should say: an event is written without quotes: `PreToolCall`.

use exo_rails::prelude::*;

#[rail(on = ["PreToolCall"])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    RailAction::abort(format!("{} is off limits", call.tool_name))
}

fn main() {
    let _ = rail_chain![guard];
}
