//! The message should say: expected `NoSubstitute`, found `ToolOutput`: write `-> RailAction<ToolOutput>`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    RailAction::skip_with(ToolOutput::text("cached"), call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
