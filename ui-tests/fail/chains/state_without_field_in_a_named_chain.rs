//! The message should say: the rail `Budget` has state, so the chain needs a field for it: `budget: Budget`.

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
        Budget,
    }
}

fn main() {
    let _ = Budget { calls: 3 };
    let _ = MyRails {};
}
