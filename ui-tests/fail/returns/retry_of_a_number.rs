//! A retry is a reason, or a request that says more.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn busy(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "crawl" { RailAction::retry(3) } else { RailAction::Continue }
}

fn main() {}
