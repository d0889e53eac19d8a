//! The message should say: write `on = [PreToolCall]`.

use exo_rails::prelude::*;

#[rail(event = PreToolCall)]
fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
