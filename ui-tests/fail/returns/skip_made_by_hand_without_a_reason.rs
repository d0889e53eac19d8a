//! The message should say: missing field `reason` (the compiler's own words).

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "shell" {
        RailAction::Skip(exo_rails::Skip { substitute: None })
    } else {
        RailAction::Continue
    }
}

fn main() {
    let _ = rail_chain![guard];
}
