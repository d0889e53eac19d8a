//! The message should say: a reason is a literal or a `String`: write `call.tool_name.clone()`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "shell" { RailAction::abort(&call.tool_name) } else { RailAction::Continue }
}

fn main() {
    let _ = rail_chain![guard];
}
