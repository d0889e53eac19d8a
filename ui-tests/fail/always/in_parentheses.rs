//! The message should say: `always` takes no value.

use exo_rails::prelude::*;

#[rail(priority = 90, on = [PreToolCall], always(true))]
fn audit(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
