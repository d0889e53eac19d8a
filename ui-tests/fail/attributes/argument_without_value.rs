//! The message should say: `priority` needs a value: `priority = 10`.

use exo_rails::prelude::*;

#[rail(priority, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
