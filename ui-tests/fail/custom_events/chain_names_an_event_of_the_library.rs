//! The message should say: every chain serves `PreToolCall`: leave it out; at the name.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

rail_chain! {
    #[chain(events = [PreToolCall])]
    struct Guards {
        guard,
    }
}

fn main() {
    let _ = Guards;
}
