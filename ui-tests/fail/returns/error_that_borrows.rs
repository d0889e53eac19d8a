//! The message should say, at the `&`: an error outlives the call.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn guard(call: &ToolCallInputs) -> Result<RailAction, &str> {
    if call.tool_name.is_empty() {
        return Err("a call needs a name");
    }
    Ok(RailAction::Continue)
}

fn main() {
    let _ = rail_chain![guard];
}
