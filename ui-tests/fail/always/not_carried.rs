//! The message should say: `Start` does not carry `&ToolCallInputs`.

use exo_rails::prelude::*;

#[rail(priority = 90, on = [Start], always)]
fn audit(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
