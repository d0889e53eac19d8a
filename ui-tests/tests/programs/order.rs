//! What a chain may require, and what its rails may say of their order.

#![deny(warnings)]

use exo_rails::prelude::*;
use exo_rails::{ChainRequirements, chain_requirements};

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

mod logs {
    use exo_rails::prelude::*;

    /// After a rail of another module, also where that is not in the chain.
    #[rail(priority = 90, on = [PreToolCall, PostToolCall], after = [super::permission_check, super::Limit<u8>])]
    pub fn audit_log(call: &ToolCallInputs) {
        println!("{}", call.tool_name);
    }
}

struct Limit<T>(T);

#[rail(priority = 10, before = [logs::audit_log], after = [permission_check])]
impl<T: Into<u32> + Copy + Send + Sync> Limit<T> {
    #[on(PreToolCall)]
    fn limit(&self, ctx: &RailContext) -> Verdict {
        Verdict::abort_if(ctx.step() > self.0.into(), "too many steps")
    }
}

rail_chain! {
    struct Limits { limit: Limit<u8> }
}

chain_requirements! {
    /// Docs and visibility are the struct's.
    pub struct Company {
        require(permission_check on PreToolCall, logs::audit_log on PostToolCall),
        before(permission_check, logs::audit_log),
        first(permission_check on PreToolCall),
        last(logs::audit_log on PostToolCall),
    }
}

chain_requirements! { struct Limited { require(Limits on PreToolCall) } }

// Equal priorities: the list decides.
rail_chain! {
    #[chain(requirements = Company, before(permission_check, Limit<u8>), before(permission_check, Limit<u8>, logs::audit_log))]
    struct Direct { permission_check, limit: Limit<u8>, logs::audit_log }
}

rail_chain! {
    #[chain(unique_priorities, priority = 20, requirements = Company, requirements = Limited)]
    struct Outer { logs::audit_log, limits: Limits, permission_check }
}

// The rails of a chain inside count as the chain's own.
rail_chain! {
    #[chain(requirements = Company, requirements = Limited, require(Outer on PreToolCall))]
    struct Nested { outer: Outer }
}

// The same priority, but never at the same event.
#[rail(priority = 10, on = [Start])]
fn greet() {}

rail_chain! {
    #[chain(unique_priorities)]
    struct Unique { greet, permission_check }
}

#[test]
fn compiles_and_runs() {
    let _ = (Direct { limit: Limit(3) }, Unique {});
    let _ = Nested { outer: Outer { limits: Limits { limit: Limit(3) } } };
    let words: Vec<_> = Company::REQUIREMENTS.iter().map(ToString::to_string).collect();
    assert_eq!(words[1..3], ["require(audit_log on PostToolCall)", "before(permission_check, audit_log)"]);
}
