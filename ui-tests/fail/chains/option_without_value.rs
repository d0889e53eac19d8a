//! The message should say: `priority` needs a value: `priority = 10`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

rail_chain! {
    #[chain(priority)]
    struct MyRails {
        guard,
    }
}

fn main() {
    let _ = MyRails {};
}
