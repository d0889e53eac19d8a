//! A chain of this crate that the chains of the tests list.

use exo_rails::Plan;
use exo_rails::prelude::*;

use crate::note;

/// Notes its call.
#[rail(priority = 20, on = [PreToolCall, PostToolCall], after = [listed_first])]
pub fn listed_last(ctx: &RailContext) {
    note(ctx, "listed last");
}

/// Notes its call.
#[rail(priority = 10, on = [PreToolCall])]
pub fn listed_first(ctx: &RailContext) {
    note(ctx, "listed first");
}

rail_chain! {
    /// A chain that other chains list.
    pub struct Listed { listed_last, listed_first }
}

/// Returns the plan of [`Listed`], as this crate sees it.
#[must_use]
#[inline(never)]
pub fn plan_of_listed() -> Option<&'static Plan> {
    Listed::INNER
}
