//! The message should say: all of them at once: `unsafe`, a type parameter, a parameter by value.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
unsafe fn guard<T>(call: ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
