//! A chain that names as its events what is none.

use exo_rails::prelude::*;

#[derive(Debug)]
struct Memories(Vec<String>);

#[derive(Event)]
#[event(payload = &mut Memories, allows = "skip")]
struct MemoriesRecalled;

#[rail(on = [PreToolCall])]
fn log() {}

rail_chain! {
    #[chain(events = [Memories])]
    struct Guards { log }
}

rail_chain! {
    #[chain(events = [MemoriesRecaled])]
    struct Others { log }
}

fn main() {}
