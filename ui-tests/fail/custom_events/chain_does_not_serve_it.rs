//! A rail on a custom event, in a chain that does not name the event: it would never be called.

use exo_rails::prelude::*;

#[derive(Debug)]
struct Memories(Vec<String>);

#[derive(Event)]
#[event(payload = &mut Memories, allows = "skip")]
struct MemoriesRecalled;

#[rail(on = [MemoriesRecalled, PreToolCall])]
fn privacy() {}

rail_chain! {
    struct Guards { privacy }
}

fn main() {}
