//! The message should say: `always` is given twice: keep one of them.

use exo_rails::prelude::*;

#[rail(priority = 90, on = [PreToolCall], always, always)]
fn audit(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
