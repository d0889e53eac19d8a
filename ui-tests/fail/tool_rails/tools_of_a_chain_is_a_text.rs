//! The message should say: `tools` takes the name of a set of tools: write `tools = SupportTools`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall], tool = "delete_file")]
fn only_tmp(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    #[chain(tools = "SupportTools")]
    struct MyRails { only_tmp }
}

fn main() {
    let _ = MyRails {};
}
