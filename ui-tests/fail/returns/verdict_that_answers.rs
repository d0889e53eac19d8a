//! The message should say: a `Verdict` can only continue or abort; a `RailAction` can end the run with an answer.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn closed(call: &ToolCallInputs) -> Verdict {
    if call.tool_name == "order" { Verdict::abort_with("We are closed.", "it is night") } else { Verdict::Continue }
}

fn main() {
    let _ = rail_chain![closed];
}
