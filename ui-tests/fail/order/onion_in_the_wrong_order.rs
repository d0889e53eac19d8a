//! What a rail says of its order is about the way in, also where it is on the way out alone.
//!
//! The messages should say: `permission` must run before `audit`, but at `PostToolCall` it does not: this is an onion.

use exo_rails::prelude::*;
use exo_rails::chain_requirements;

#[rail(priority = 90, on = [PostToolCall])]
fn permission() {}

#[rail(priority = 10, on = [PostToolCall], after = [permission])]
fn audit() {}

rail_chain! {
    #[chain(onion)]
    struct SupportRails { audit, permission }
}

#[rail(priority = 10, on = [PostToolCall])]
fn log() {}

chain_requirements! { struct Logged { before(permission, log) } }

rail_chain! {
    #[chain(onion, requirements = Logged)]
    struct LoggedRails { log, permission }
}

fn main() {}
