//! The message should say: the rail takes its `ToolCallInputs` twice: once is enough.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &mut ToolCallInputs, before: &ToolCallInputs) {
    call.tool_name.clone_from(&before.tool_name);
}

fn main() {
    let _ = rail_chain![guard];
}
