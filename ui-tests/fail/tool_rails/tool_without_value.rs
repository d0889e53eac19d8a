//! The message should say: `tool` needs a value: `tool = "delete_file"`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall], tool)]
fn only_tmp(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = MyRails {};
}
