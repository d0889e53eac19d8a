//! The message should say: `#[rail]` has no argument `allways`; did you mean `always`?

use exo_rails::prelude::*;

#[rail(priority = 90, on = [PreToolCall], allways)]
fn audit(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
