//! The message should say: expected `i32`, found `u8`, at the expression (the compiler's own words).

use exo_rails::prelude::*;

const BASE: u8 = 10;

#[rail(priority = BASE + 1, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
