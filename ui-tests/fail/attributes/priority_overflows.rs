//! The message should say: this priority overflows an `i32`, at the expression (the compiler's own words).

use exo_rails::prelude::*;

#[rail(priority = i32::MAX + 1, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
