//! The message should say: a rail function has no type parameters; and nothing of the parameter of that type.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard<F: Fn()>(call: &ToolCallInputs, next: F) -> Verdict {
    next();
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
