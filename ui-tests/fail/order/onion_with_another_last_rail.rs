//! What runs last before a call runs first after it, in an onion.
//!
//! The messages should say: `audit` must run last at `PostToolCall`, but `permission` does: this is an onion, and there the higher number runs first; and of the tie, that the list is reversed.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall, PostToolCall])]
fn permission() {}

#[rail(priority = 90, on = [PreToolCall, PostToolCall])]
fn audit() {}

#[rail(priority = 90, on = [PostToolCall])]
fn trace() {}

rail_chain! {
    #[chain(onion, last(audit on PostToolCall))]
    struct SupportRails { audit, permission }
}

rail_chain! {
    #[chain(onion, first(audit on PostToolCall))]
    struct TracedRails { audit, trace, permission }
}

fn main() {}
