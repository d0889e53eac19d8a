//! The message should say: no tool has such a name: letters, digits, `_` and `-`; as `#[tool(name = …)]` says.

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
