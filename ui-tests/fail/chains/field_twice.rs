//! The message should say: the chain has two fields with the name `budget`: rename one.

use exo_rails::prelude::*;

struct Budget {
    calls: usize,
}

#[rail]
impl Budget {
    #[on(PreToolCall)]
    async fn before(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name.len() > self.calls, "over budget")
    }
}

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

rail_chain! {
    struct MyRails {
        budget: Budget,
        budget: guard,
    }
}

fn main() {}
