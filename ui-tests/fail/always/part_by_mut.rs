//! The message should say: a rail with `always` only observes: take `&ToolCallInputs`.

use exo_rails::prelude::*;

#[rail(priority = 90, on = [PreToolCall], always)]
fn audit(call: &mut ToolCallInputs) {
    call.tool_name.clear();
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
