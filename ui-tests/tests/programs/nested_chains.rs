//! Chains in chains, so deep that a check would take longer than constants may if it looked, for each chain, at all events
//! of the chain inside.

#![deny(warnings)]

use exo_rails::prelude::*;
use exo_rails::{Chain, tools};

tools! {
    struct NoTools {}
}

#[rail(on = [PreToolCall])]
fn innermost() {}

/// A rail on every event, in a chain with the chain before it; and so on around that.
macro_rules! around {
    ($inner:ident) => {};
    ($inner:ident $chain:ident $rail:ident $($others:ident)*) => {
        #[rail(on = [
            SessionStart, Start, PreCompaction, PostCompaction, PreLlmCall, LlmChunk, PostLlmCall, LlmError, PreToolCall,
            PostToolCall, ToolError, Finished, events::Error, SessionEnd,
        ])]
        fn $rail() {}

        rail_chain! {
            #[chain(tools = NoTools, require(innermost on PreToolCall), before(innermost, $rail))]
            struct $chain { $inner, $rail }
        }

        around!($chain $($others)*);
    };
}

around! { innermost Chain1 r1 Chain2 r2 Chain3 r3 Chain4 r4 Chain5 r5 Chain6 r6 Chain7 r7 Chain8 r8 }

#[test]
fn compiles_and_runs() {
    let (mut plan, mut depth) = (Chain8::PLAN, 1);
    while let Some(inner) = plan.rails(HookPoint::PreToolCall)[0].inner {
        (plan, depth) = (*inner, depth + 1);
    }
    assert_eq!((plan.chain, depth), ("Chain1", 8));
}
