//! The message should say, once: write a comma.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

#[rail(on = [Start])]
fn greet() {}

rail_chain! {
    struct Guards { log greet }
}

fn main() {}
