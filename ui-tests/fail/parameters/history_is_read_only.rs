//! The message should say: `PostToolCall` carries `&ToolCallInputs`: after the call it can no longer be changed.

use exo_rails::prelude::*;

#[rail(on = [PostToolCall])]
async fn guard(call: &mut ToolCallInputs) {
    call.tool_name.clear();
}

fn main() {
    let _ = rail_chain![guard];
}
