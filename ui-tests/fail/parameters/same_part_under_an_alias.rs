//! The message should say: the rail takes the same part of the event twice.

use exo_rails::prelude::*;

type Call = ToolCallInputs;

#[rail(on = [PreToolCall])]
async fn guard(call: &mut ToolCallInputs, before: &Call) {
    call.tool_name.clone_from(&before.tool_name);
}

fn main() {
    let _ = rail_chain![guard];
}
