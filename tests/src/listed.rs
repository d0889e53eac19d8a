//! A chain of this crate, for the chains of the tests.

use exo_rails::Plan;
use exo_rails::prelude::*;

use crate::note;

/// Notes that it was called.
#[rail(priority = 20, on = [PreToolCall, PostToolCall], after = [listed_first])]
pub fn listed_last(ctx: &RailContext) {
    note(ctx, "listed last");
}

/// Notes that it was called.
#[rail(priority = 10, on = [PreToolCall])]
pub fn listed_first(ctx: &RailContext) {
    note(ctx, "listed first");
}

rail_chain! {
    /// A chain for others to list.
    pub struct Listed { listed_last, listed_first }
}

/// The plan of [`Listed`], as this crate knows it.
#[must_use]
#[inline(never)]
pub fn plan_of_listed() -> Option<&'static Plan> {
    Listed::INNER
}
