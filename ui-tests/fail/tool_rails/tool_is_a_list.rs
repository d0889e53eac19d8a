//! The message should say: a rail is for one tool, known by its name: `tool = "delete_file"`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall], tool = ["delete_file", "search"])]
fn only_tmp(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = MyRails {};
}
