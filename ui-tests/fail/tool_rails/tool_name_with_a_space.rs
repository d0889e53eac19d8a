//! The message should say: the name of a tool cannot be empty or have spaces in it.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall], tool = "delete file")]
fn only_tmp(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = MyRails {};
}
