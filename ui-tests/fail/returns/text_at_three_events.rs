//! The message should say: a rail cannot return `String`; once, and not for each event.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall, PostToolCall, ToolError])]
async fn guard(call: &ToolCallInputs) -> String {
    call.tool_name.clone()
}

fn main() {
    let _ = rail_chain![guard];
}
