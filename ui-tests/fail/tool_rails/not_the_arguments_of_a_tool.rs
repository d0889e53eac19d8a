//! The message should say: `Vec<String>` is not a type for the arguments of a tool: `#[derive(ToolArgs)]`; once.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall], tool = "delete_file")]
fn only_tmp(args: &Args<Vec<String>>) {
    let _ = args;
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = MyRails {};
}
