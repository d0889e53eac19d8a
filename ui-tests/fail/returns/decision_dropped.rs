//! The message should say: a dropped decision has no effect: return it.

#![deny(unused_must_use)]

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) {
    Verdict::abort_if(call.tool_name == "shell", "no shell");
}

fn main() {
    let _ = rail_chain![guard];
}
