//! The message should say: a rail on `PreToolCall` cannot return `Option<String>`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Option<String> {
    Some(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
