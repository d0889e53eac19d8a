//! The message should say: `log` is a variable here.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

fn main() {
    let log = log {};
    let _ = rail_chain![log];
    let _ = log;
}
