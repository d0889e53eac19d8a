//! A chain and shared requirements have a rail on a type that is not an event.
//!
//! The message should say: `Memories` is not an event.

use exo_rails::prelude::*;
use exo_rails::chain_requirements;

#[derive(Debug)]
struct Memories(Vec<String>);

#[derive(Event)]
#[event(payload = &mut Memories)]
struct MemoriesRecalled;

#[rail(on = [MemoriesRecalled])]
fn privacy() {}

rail_chain! {
    #[chain(events = [MemoriesRecalled], require(privacy on Memories))]
    struct Guards { privacy }
}

chain_requirements! { struct Company { first(privacy on Memories) } }

rail_chain! {
    #[chain(events = [MemoriesRecalled], requirements = Company)]
    struct Others { privacy }
}

fn main() {}
