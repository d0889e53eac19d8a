//! The message should say: a retry has a reason: `RetryRequest::new("…")`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "shell" { RailAction::retry(RetryRequest::new()) } else { RailAction::Continue }
}

fn main() {
    let _ = rail_chain![guard];
}
