//! The message should say: there is no module `rails` (the compiler's own words).

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct Guards { crate::rails::log }
}

fn main() {}
