//! The message should say: `tools` cannot be read: write it like `tools = SupportTools`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall], tool = "delete_file", tools = "SupportTools")]
fn only_tmp(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = MyRails {};
}
