//! The message should say: `#[chain]` has no option `tool`; did you mean `tools`?

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall], tool = "delete_file")]
fn only_tmp(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    #[chain(tool = "delete_file")]
    struct MyRails { only_tmp }
}

fn main() {
    let _ = MyRails {};
}
