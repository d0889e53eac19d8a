//! The message should say: `tools` needs a value: `tools = SupportTools`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall], tool = "delete_file")]
fn only_tmp(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    #[chain(tools)]
    struct MyRails { only_tmp }
}

fn main() {
    let _ = MyRails {};
}
