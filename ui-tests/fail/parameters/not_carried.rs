//! The message should say: `PreToolCall` does not carry `&ToolOutput`; it carries `&mut ToolCallInputs`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(output: &ToolOutput) -> Verdict {
    Verdict::abort_if(output.is_error, "no output yet")
}

fn main() {
    let _ = rail_chain![guard];
}
