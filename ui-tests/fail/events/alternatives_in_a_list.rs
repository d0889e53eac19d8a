//! The message should say: events have commas between them, `on = [PreToolCall, PostToolCall]`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall | PostToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
