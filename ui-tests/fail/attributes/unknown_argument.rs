//! The message should say: `#[rail]` has no argument `priorty`; did you mean `priority`?

use exo_rails::prelude::*;

#[rail(priorty = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
