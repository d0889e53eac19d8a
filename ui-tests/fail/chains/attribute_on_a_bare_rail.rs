//! The message should say: only a field can have this attribute.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

rail_chain! {
    struct MyRails {
        #[allow(dead_code)]
        guard,
    }
}

fn main() {
    let _ = MyRails {};
}
