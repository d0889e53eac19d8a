//! The message should say: `u8` is neither an error type nor text.

use exo_rails::prelude::*;

#[rail(priority = 90, on = [PreToolCall], always)]
fn audit(call: &ToolCallInputs) -> Result<(), u8> {
    if call.tool_name.is_empty() { Err(1) } else { Ok(()) }
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
