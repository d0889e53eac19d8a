//! The message should say: one `rail_chain!` declares one chain: write a second `rail_chain!`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

rail_chain! {
    struct MyRails {
        guard,
    }
    struct OtherRails {
        guard,
    }
}

fn main() {}
