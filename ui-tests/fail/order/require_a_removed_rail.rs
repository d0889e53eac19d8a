//! The message should say: `limit` is required, and its `#[cfg]` removes it here. And once, of a rail without a field: the
//! chain does not list it.

use exo_rails::prelude::*;

struct Limit;

#[rail(priority = 10)]
impl Limit {
    #[on(PreToolCall)]
    fn check(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == "shell", "no shell")
    }
}

#[rail(on = [PreToolCall])]
fn audit() {}

rail_chain! {
    #[chain(require(limit on PreToolCall))]
    struct OfAField {
        #[cfg(any())]
        limit: Limit,
    }
}

rail_chain! {
    #[chain(require(audit on PreToolCall))]
    struct OfAName {
        #[cfg(any())]
        audit,
        limit: Limit,
    }
}

fn main() {
    let _ = (OfAField {}, OfAName { limit: Limit });
}
