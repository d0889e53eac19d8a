//! The message should say: a chain ends here: one `rail_chain!` makes one chain.

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
