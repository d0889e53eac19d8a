//! The message should say: a priority is an `i32`: -2147483649 is out of range.

use exo_rails::prelude::*;

#[rail(priority = -2147483649, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
