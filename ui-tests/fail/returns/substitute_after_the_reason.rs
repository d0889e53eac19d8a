//! The message should say: the reason comes after the substitute: write `RailAction::skip_with(ToolOutput::text("noon"), "it is known")`; once.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn clock(call: &ToolCallInputs) -> RailAction<ToolOutput> {
    if call.tool_name == "time" {
        return RailAction::skip_with("it is known", ToolOutput::text("noon"));
    }
    RailAction::Continue
}

fn main() {
    let _ = rail_chain![clock];
}
