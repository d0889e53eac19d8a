//! The message should say: a dropped decision has no effect: return it.

#![deny(unused_must_use)]

use exo_rails::prelude::*;

struct Budget;

#[rail]
impl Budget {
    #[on(PreToolCall)]
    async fn before(&self, call: &ToolCallInputs) {
        Verdict::abort_if(call.tool_name == "shell", "no shell");
    }
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {
    let _ = MyRails { budget: Budget };
}
