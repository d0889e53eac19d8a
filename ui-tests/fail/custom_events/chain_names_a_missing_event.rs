//! A typing error in the events of a chain.
//!
//! The message should say: there is no `MemoriesRecaled`; `MemoriesRecalled` is near.

use exo_rails::prelude::*;

#[derive(Event)]
struct MemoriesRecalled;

#[rail(on = [MemoriesRecalled])]
fn privacy() {}

rail_chain! {
    #[chain(events = [MemoriesRecaled])]
    struct Guards { privacy }
}

fn main() {}
