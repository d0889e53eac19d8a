//! The message should say: `#[chain]` has no option `always`: it is of a rail.

use exo_rails::prelude::*;

#[rail(priority = 90, on = [PreToolCall])]
fn audit(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    #[chain(always)]
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
