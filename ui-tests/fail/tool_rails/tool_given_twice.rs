//! The message should say: `tool` is given twice: keep one of them; a rail is for one tool.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall], tool = "delete_file", tool = "search")]
fn only_tmp(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = MyRails {};
}
