//! Rails take only what the event carries.

use exo_rails::prelude::*;

#[derive(Debug)]
struct Memories(Vec<String>);

#[derive(Event)]
#[event(payload = &mut Memories, allows = "skip")]
struct MemoriesRecalled;

#[derive(Event)]
#[event(payload = &String)]
struct Asked;

#[rail(on = [MemoriesRecalled])]
fn other(query: &String) {}

#[rail(on = [Asked])]
fn changes(query: &mut String) {}

#[rail(on = [Asked])]
fn owns(query: String) {}

rail_chain! {
    #[chain(events = [MemoriesRecalled, Asked])]
    struct Guards { other, changes, owns }
}

fn main() {}
