//! The message should say: `#[rail]` has no argument `severity`; expected `on`, `priority`, `name`, `crate`.

use exo_rails::prelude::*;

#[rail(severity = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
