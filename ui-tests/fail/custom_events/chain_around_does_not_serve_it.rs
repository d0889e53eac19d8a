//! A chain inside serves an event that the chain around it does not: there it would never be called.
//!
//! The message should say: `Inner` is on `MemoriesRecalled`; name it in the chain around as well.

use exo_rails::prelude::*;

#[derive(Event)]
struct MemoriesRecalled;

#[rail(on = [MemoriesRecalled, PreToolCall])]
fn privacy() {}

rail_chain! {
    #[chain(events = [MemoriesRecalled])]
    struct Inner { privacy }
}

rail_chain! { struct Outer { Inner } }

fn main() {}
