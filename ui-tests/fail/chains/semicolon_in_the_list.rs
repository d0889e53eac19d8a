//! The message should say: rails are separated by commas.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

fn main() {
    let _ = rail_chain![log;];
}
