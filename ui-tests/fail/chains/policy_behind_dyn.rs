//! The message should say, at the type of the field: write `Box<dyn Policy + Send + Sync>`; once.

use exo_rails::prelude::*;

trait Policy {
    fn allows(&self, tool: &str) -> bool;
}

struct ByPolicy(Box<dyn Policy>);

#[rail]
impl ByPolicy {
    #[on(PreToolCall)]
    fn check(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(!self.0.allows(&call.tool_name), "the policy forbids it")
    }
}

rail_chain! {
    struct Rails { policy: ByPolicy }
}

fn main() {}
