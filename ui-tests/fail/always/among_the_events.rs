//! The message should say: `always` is not an event: write it after the list, `on = [PreToolCall], always`.

use exo_rails::prelude::*;

#[rail(priority = 90, on = [PreToolCall, always], name = "audit")]
fn audit(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
