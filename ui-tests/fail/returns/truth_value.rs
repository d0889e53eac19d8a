//! The message should say: a rail on `PreToolCall` cannot return `bool`; write `Verdict::abort_if(…)`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> bool {
    call.tool_name != "shell"
}

fn main() {
    let _ = rail_chain![guard];
}
