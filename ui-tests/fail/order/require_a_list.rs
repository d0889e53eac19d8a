//! The message should say: `Limit` may be absent: a `Vec` may be empty, so list a rail in a field without `Vec`. Once for the
//! chain's own requirement, once for a shared one, and once for a chain whose only rail is a list.

use exo_rails::chain_requirements;
use exo_rails::prelude::*;

struct Limit;

#[rail(priority = 10)]
impl Limit {
    #[on(PreToolCall)]
    fn check(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == "shell", "no shell")
    }
}

chain_requirements! {
    struct Company { first(Limit on PreToolCall) }
}

rail_chain! {
    #[chain(require(Limit on PreToolCall))]
    struct Own { limits: Vec<Limit> }
}

rail_chain! {
    #[chain(requirements = Company)]
    struct Follows { limits: Option<Vec<Limit>> }
}

rail_chain! {
    #[chain(require(Own on PreToolCall))]
    struct Around { own: Own }
}

fn main() {
    let _ = (Around { own: Own { limits: vec![] } }, Follows { limits: None });
}
