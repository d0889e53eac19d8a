//! The message should say: `priority` is given twice.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

rail_chain! {
    #[chain(priority = 10, priority = 20)]
    struct MyRails {
        guard,
    }
}

fn main() {
    let _ = MyRails {};
}
