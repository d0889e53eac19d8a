//! The message should say: a rail borrows the payload: write `&ToolCallInputs`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
