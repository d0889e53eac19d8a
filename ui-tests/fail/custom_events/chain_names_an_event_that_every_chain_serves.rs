//! Events of the library need no naming, and none is named twice.

use exo_rails::prelude::*;

#[derive(Debug)]
struct Memories(Vec<String>);

#[derive(Event)]
#[event(payload = &mut Memories, allows = "skip")]
struct MemoriesRecalled;

#[rail(on = [PreToolCall])]
fn log() {}

rail_chain! {
    #[chain(events = [PreToolCall, MemoriesRecalled, SessionStart, MemoriesRecalled], onion = true)]
    struct Guards { log }
}

rail_chain! {
    #[chain(events = MemoriesRecalled)]
    struct Others { log }
}

fn main() {}
