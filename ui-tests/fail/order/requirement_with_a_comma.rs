//! The message should say: `first` takes a rail and an event.

use exo_rails::chain_requirements;
use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

chain_requirements! {
    struct Company { first(permission_check, PreToolCall) }
}

fn main() {}
