//! The message should say: the rail takes `ToolCallInputs` twice: leave one out.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &mut ToolCallInputs, before: &ToolCallInputs) {
    call.tool_name.clone_from(&before.tool_name);
}

fn main() {
    let _ = rail_chain![guard];
}
