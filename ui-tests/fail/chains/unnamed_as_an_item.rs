//! The message should say: an unnamed chain is an expression, so name it.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! { log }

fn main() {}
