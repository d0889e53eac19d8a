//! The message should say: events are listed in `on = [PreToolCall]`.

use exo_rails::prelude::*;

#[rail(PreToolCall)]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
