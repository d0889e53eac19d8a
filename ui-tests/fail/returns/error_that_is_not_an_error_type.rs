//! The message should say: `u32` is not an error type; `E` in `Result<_, E>` is one, or text.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Result<RailAction, u32> {
    if call.tool_name.is_empty() { Err(404) } else { Ok(RailAction::Continue) }
}

fn main() {
    let _ = rail_chain![guard];
}
