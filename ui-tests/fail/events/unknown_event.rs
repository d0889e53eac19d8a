//! The message should say: there is no event `PreTollCall`; did you mean `PreToolCall`?

use exo_rails::prelude::*;

#[rail(on = [PreTollCall])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    RailAction::abort(format!("{} is off limits", call.tool_name))
}

fn main() {
    let _ = rail_chain![guard];
}
