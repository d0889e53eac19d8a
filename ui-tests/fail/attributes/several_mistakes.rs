//! The message should say: all of them at once: an unknown argument, a priority that is text, no events.

use exo_rails::prelude::*;

#[rail(severity = 3, priority = "10")]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
