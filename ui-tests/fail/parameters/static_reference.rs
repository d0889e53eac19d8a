//! The message should say: write `&ToolCallInputs`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &'static ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
