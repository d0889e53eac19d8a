//! The message should say: a rail with `always` only observes: it cannot return `RailAction<ToolOutput>`.

use exo_rails::prelude::*;

#[rail(priority = 90, on = [PreToolCall], always)]
fn audit(call: &ToolCallInputs) -> RailAction<ToolOutput> {
    RailAction::skip_with(ToolOutput::text("no"), call.tool_name.clone())
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
