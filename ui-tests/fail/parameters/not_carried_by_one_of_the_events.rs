//! The message should say: `Start` does not carry `&ToolCallInputs`; take `Inputs<'_>`, the union, instead.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall, Start])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
