//! The message should say: `#[chain]` has no option `priorty`; did you mean `priority`?

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

rail_chain! {
    #[chain(priorty = 10)]
    struct MyRails {
        guard,
    }
}

fn main() {
    let _ = MyRails {};
}
