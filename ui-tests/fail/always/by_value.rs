//! The message should say: a rail borrows the payload: write `&ToolCallInputs`; nothing of `&mut`.

use exo_rails::prelude::*;

#[rail(priority = 90, on = [PreToolCall], always)]
fn audit(call: ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
