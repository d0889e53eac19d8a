//! The message should say: there is no event `pre_tool_call`; did you mean `PreToolCall`?

use exo_rails::prelude::*;

#[rail(on = [pre_tool_call])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
