//! The message should say: an unnamed chain has no fields; name the chain.

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

fn main() {
    let _ = rail_chain![budget: Budget];
}
