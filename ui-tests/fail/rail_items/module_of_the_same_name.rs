//! The message should say: the name `guard` is defined twice (the compiler's own words).

use exo_rails::prelude::*;

mod guard {}

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
