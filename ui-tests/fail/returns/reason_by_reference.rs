//! The message should say: a reason is a literal or a `String`: write `name.to_string()`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    let name: Box<str> = call.tool_name.clone().into();
    if &*name == "shell" { RailAction::abort(&name) } else { RailAction::Continue }
}

fn main() {
    let _ = rail_chain![guard];
}
