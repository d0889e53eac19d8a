//! `#[cfg]` on listed rails and on shared requirements: what it removes leaves nothing.

#![deny(warnings)]
#![allow(clippy::non_minimal_cfg, reason = "a `cfg` that always holds")]

use exo_rails::prelude::*;
use exo_rails::testing::assert_order;
use exo_rails::{Chain, chain_requirements};

#[rail(priority = 10, on = [PreToolCall])]
fn always() {}

#[cfg(any())]
#[rail(on = [PreToolCall])]
fn never() {}

#[cfg(all())]
#[rail(on = [PreToolCall])]
fn there() {}

#[derive(Default)]
pub struct Limit;

#[rail(priority = 20)]
impl Limit {
    #[on(PreToolCall)]
    fn limit(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == "shell", "no shell")
    }
}

chain_requirements! {
    struct Company {
        require(always on PreToolCall),
        /// Only where there is one.
        #[cfg(any())]
        require(never on PreToolCall),
        #[cfg(all())]
        require(there on PreToolCall),
    }
}

rail_chain! {
    #[derive(Default)]
    #[chain(requirements = Company, require(limit on PreToolCall), before(limit, other), before(gone, other))]
    struct Rails {
        always,
        #[cfg(any())]
        never,
        #[cfg(all())]
        #[rail(priority = 90)]
        there,
        #[cfg(any())]
        gone: Missing,
        #[cfg(any())]
        pub limit: Missing,
        #[cfg(not(any()))]
        #[cfg(all())]
        pub limit: Limit,
        #[cfg(all())]
        /// The same type again.
        other: Option<Limit>,
    }
}

// Nothing is left of it, and it is braced all the same.
rail_chain! { struct Nothing { #[cfg(any())] gone: Missing } }

rail_chain! {
    #[chain(unique_priorities, trace)]
    struct Names { #[cfg(any())] never, always, #[cfg(any())] elsewhere::Missing<u8>, #[cfg(any())] gone }
}

rail_chain! {
    #[chain(concurrent)]
    struct Concurrent { #[cfg(any())] never, #[cfg(any())] gone: Missing }
}

#[test]
fn compiles_and_runs() {
    let Rails { limit, other } = Rails::default();
    let rails = Rails { limit, other };
    assert_order(&rails, HookPoint::PreToolCall, ["always", "limit", "other", "there"]);
    assert!(Nothing::PLAN.events.is_empty() && Concurrent::PLAN.events.is_empty());
    let _ = (Nothing {}, Concurrent {});
    assert_order(&Names, HookPoint::PreToolCall, ["always"]);
    let unnamed = rail_chain![
        #[cfg(any())]
        never,
        always,
        #[cfg(all())]
        #[rail(priority = 4)]
        there
    ];
    assert_order(&unnamed, HookPoint::PreToolCall, ["there", "always"]);
    let first = rail_chain![
        #[rail(priority = 4)]
        there,
        always
    ];
    assert_order(&first, HookPoint::PreToolCall, ["there", "always"]);
    let onion = rail_chain![
        #[chain(onion)]
        #[cfg(any())]
        never,
        always
    ];
    assert_order(&onion, HookPoint::PreToolCall, ["always"]);
}
