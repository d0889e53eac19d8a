//! The message should say: a rail with `always` returns `()`, or `Result<(), E>`, and not `bool`; once.

use exo_rails::prelude::*;

#[rail(priority = 90, on = [PreToolCall], always)]
fn audit(call: &ToolCallInputs) -> bool {
    call.tool_name.is_empty()
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
