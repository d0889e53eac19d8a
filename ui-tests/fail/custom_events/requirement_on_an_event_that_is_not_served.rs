//! A chain requires a rail on an event that it does not serve.
//!
//! The message should say: name it, `#[chain(events = [MemoriesRecalled])]`.

use exo_rails::prelude::*;

#[derive(Event)]
struct MemoriesRecalled;

#[rail(on = [MemoriesRecalled])]
fn privacy() {}

rail_chain! {
    #[chain(require(privacy on MemoriesRecalled))]
    struct Guards { privacy }
}

fn main() {}
