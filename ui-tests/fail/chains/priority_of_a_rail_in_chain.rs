//! The message should say: the priority of a listed rail is in `#[rail(priority = 5)]`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

rail_chain! {
    struct Rails {
        #[chain(priority = 5)]
        guard,
    }
}

fn main() {}
