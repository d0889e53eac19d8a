//! The message should say: an abort has a reason: `Verdict::abort_if(…, "…")`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell")
}

fn main() {
    let _ = rail_chain![guard];
}
