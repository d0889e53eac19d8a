//! The message should say: the rail `guard` is listed twice: a chain runs each rail once.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard, self::guard];
}
