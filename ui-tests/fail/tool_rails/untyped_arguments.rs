//! The message should say: `serde_json::Value` is not a type for the arguments of a tool; without a type, take `&ToolCallInputs`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall], tool = "delete_file")]
fn only_tmp(args: &Args<serde_json::Value>) {
    let _ = args;
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = MyRails {};
}
