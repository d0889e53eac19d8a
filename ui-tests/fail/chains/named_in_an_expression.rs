//! The message should say: a named chain is an item, so declare it before it is used.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

fn main() {
    let rails = rail_chain! { struct Guards { log } };
    let _ = rails;
}
