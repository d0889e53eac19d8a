//! The message should say: a chain lists its rails in braces: `struct MyRails { … }`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

rail_chain! {
    struct MyRails(guard);
}

fn main() {}
