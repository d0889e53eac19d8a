//! The message should say: an abort has a reason: `Verdict::abort("…")`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    if call.tool_name == "shell" { Verdict::abort() } else { Verdict::Continue }
}

fn main() {
    let _ = rail_chain![guard];
}
