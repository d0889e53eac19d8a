//! Docs, `cfg`, `deprecated`, `allow` and `inline` on rails, on methods, on chains and on their fields.

#![deny(warnings, dead_code)]
#![allow(clippy::non_minimal_cfg, reason = "a `cfg` that always holds")]
#![deny(missing_docs)]

use exo_rails::prelude::*;

/// A rail with docs.
#[rail(on = [PreToolCall])]
#[inline]
#[must_use]
pub async fn documented(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name.is_empty(), "no name")
}

/// Is not there.
#[cfg(any())]
#[rail(on = [PreToolCall])]
async fn before(call: &Missing) {}

/// Is not there.
#[rail(on = [PreToolCall])]
#[cfg(any())]
async fn after(call: &Missing) {}

/// Is there.
#[rail(on = [PreToolCall])]
#[cfg(all())]
#[allow(unused_variables)]
pub async fn there(call: &ToolCallInputs, ctx: &mut RailContext) {}

/// An old one.
#[deprecated = "use `documented`"]
#[rail(on = [PreToolCall])]
pub async fn above(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

/// An old one.
#[rail(on = [PreToolCall])]
#[deprecated = "use `documented`"]
pub async fn below(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

/// A rail with state.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// How many calls are left.
    pub calls: usize,
}

/// Docs of the block.
#[rail(priority = 5)]
#[allow(dead_code)]
impl Budget {
    const NONE: usize = 0;

    /// Docs of the method.
    #[on(PreToolCall)]
    #[inline]
    async fn spend(&self) -> Verdict {
        Verdict::abort_if(self.calls == Self::NONE, "over budget")
    }

    #[cfg(any())]
    fn missing(&self) -> Missing {}
}

rail_chain! {
    /// A chain with docs.
    #[derive(Clone, Debug, Default)]
    #[chain(priority = 7)]
    pub struct Guards {
        documented,
        there,
        /// Its budget.
        pub(crate) budget: Budget,
    }
}

#[test]
fn compiles_and_runs() {
    assert_eq!(<Guards as Rail>::PRIORITY, 7);
    println!("{:?}", Guards::default());
}
