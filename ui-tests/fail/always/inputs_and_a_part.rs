//! The message should say: `&Inputs<'_>` has the whole payload: leave out `ToolCallInputs`.

use exo_rails::prelude::*;

#[rail(priority = 90, on = [PreToolCall], always)]
fn audit(inputs: &Inputs<'_>, call: &ToolCallInputs) {
    println!("{} {}", inputs.point(), call.tool_name);
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
