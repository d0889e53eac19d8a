//! The message should say: `on` takes a list of events: `on = [PreToolCall]`.

use exo_rails::prelude::*;

#[rail(on(PreToolCall))]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
