//! The message should say: the rail `Budget` is listed twice: a chain runs each rail once.

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

rail_chain! {
    struct MyRails {
        budget: Budget,
        more: Budget,
    }
}

fn main() {
    let _ = MyRails { budget: Budget { calls: 3 }, more: Budget { calls: 3 } };
}
