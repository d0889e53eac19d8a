//! `Verdict` cannot skip, also under a condition. The message says to return `RailAction`.
use exo_rails::prelude::*;

#[rail(priority = 20, on = [PreToolCall])]
fn small(call: &ToolCallInputs) -> Verdict {
    Verdict::skip_if(call.tool_name == "drop", "not today")
}

fn main() {
    let _ = rail_chain![small];
}
