//! The message should say: the reason comes after the condition.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if("no shell", call.tool_name == "shell")
}

fn main() {
    let _ = rail_chain![guard];
}
