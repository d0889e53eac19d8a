//! The message should say: a rail in a chain owns its state; at the lifetime, once.

use exo_rails::prelude::*;

struct Limit<'a> {
    tool: &'a str,
}

#[rail]
impl Limit<'_> {
    #[on(PreToolCall)]
    async fn check(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == self.tool, "off limits")
    }
}

rail_chain! {
    struct Guards {
        limit: Limit<'a>,
    }
}

fn main() {
    let _ = Guards { limit: Limit { tool: "shell" } };
}
