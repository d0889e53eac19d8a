//! The message should say: a rail with `always` only observes: it cannot return `Result<Option<RailAction>, String>`.

use exo_rails::prelude::*;

#[rail(priority = 90, on = [PreToolCall], always)]
fn audit(call: &ToolCallInputs) -> Result<Option<RailAction>, String> {
    if call.tool_name.is_empty() { Err("no name".into()) } else { Ok(None) }
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
