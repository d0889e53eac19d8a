//! The message should say: `Permission` may be absent: list it without `Option`. Once for the chain's own requirement, once
//! for a shared one, once for a rail in a chain that may be absent, and once for a chain whose only rail may be absent.

use exo_rails::chain_requirements;
use exo_rails::prelude::*;

struct Permission;

#[rail(priority = 10)]
impl Permission {
    #[on(PreToolCall)]
    fn check(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == "shell", "no shell")
    }
}

chain_requirements! {
    struct Company { first(Permission on PreToolCall) }
}

rail_chain! {
    #[chain(require(Permission on PreToolCall))]
    struct Own { permission: Option<Permission> }
}

rail_chain! {
    #[chain(requirements = Company)]
    struct Follows { permission: Option<Permission> }
}

rail_chain! { struct Inner { permission: Permission } }

rail_chain! {
    #[chain(require(Permission on PreToolCall))]
    struct Around { inner: Option<Inner> }
}

rail_chain! {
    #[chain(require(Own on PreToolCall))]
    struct AroundOwn { own: Own }
}

fn main() {
    let _ = AroundOwn { own: Own { permission: None } };
    let _ = (Own { permission: None }, Follows { permission: None }, Around { inner: None });
}
