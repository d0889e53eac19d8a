//! The message should say: a chain is a `struct`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

rail_chain! {
    enum MyRails {
        guard,
    }
}

fn main() {}
