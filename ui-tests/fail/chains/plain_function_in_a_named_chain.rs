//! The message should say: `guard` is a function, not a rail: put `#[rail(on = [PreToolCall])]` on it.

use exo_rails::prelude::*;

async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

rail_chain! {
    struct MyRails {
        guard,
    }
}

fn main() {
    let _ = guard(&ToolCallInputs::new("search"));
    let _ = MyRails {};
}
