//! The message should say: this is not an integer: write a priority like `priority = 10`.

use exo_rails::prelude::*;

#[rail(priority = 1.5, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
