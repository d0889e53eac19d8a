//! The message should say: a rail without a field has no visibility.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

rail_chain! {
    struct MyRails {
        pub guard,
    }
}

fn main() {
    let _ = MyRails {};
}
