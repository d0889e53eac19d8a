//! The message should say: a priority is an `i32`: 99999999999 is out of range.

use exo_rails::prelude::*;

#[rail(priority = 99999999999, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
