//! The message should say: `priority` is given twice.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall], priority = 20)]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
