//! The message should say: expected `,` between the arguments.

use exo_rails::prelude::*;

#[rail(priority = 10 on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
