//! The message should say: did you mean `PreToolCall`? And the same of `priority`, together with it.

use exo_rails::prelude::*;

#[rail(priorty = 10, on = [PreToolCal])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
