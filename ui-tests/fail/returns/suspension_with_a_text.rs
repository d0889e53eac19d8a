//! The message should say: the context makes a question.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn approval(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "refund" { RailAction::suspend("approve the refund") } else { RailAction::Continue }
}

fn main() {}
