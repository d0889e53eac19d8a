//! The message should say: all of them at once: an unknown argument, an event twice, a parameter by value.

use exo_rails::prelude::*;

#[rail(priorty = 10, on = [PreToolCall, PreToolCall])]
async fn guard(call: ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
