//! The message should say: the rail `guard` has no state, so the chain has no field for it: write `MyRails {}`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

rail_chain! {
    struct MyRails {
        guard,
    }
}

fn main() {
    let _ = MyRails { guard: guard {} };
}
