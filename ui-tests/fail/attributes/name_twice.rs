//! The message should say: `name` is given twice.

use exo_rails::prelude::*;

#[rail(name = "first", on = [PreToolCall], name = "second")]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
