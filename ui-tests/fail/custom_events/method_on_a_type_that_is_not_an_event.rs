//! A method on the payload in the place of the event.
//!
//! The message should say: `Memories` is not an event.

use exo_rails::prelude::*;

#[derive(Debug)]
struct Memories(Vec<String>);

#[derive(Event)]
#[event(payload = &mut Memories)]
struct MemoriesRecalled;

struct Privacy;

#[rail]
impl Privacy {
    #[on(Memories)]
    fn recalled(&self, memories: &mut Memories) {
        memories.0.clear();
    }
}

rail_chain! {
    #[chain(events = [MemoriesRecalled])]
    struct Guards { privacy: Privacy }
}

fn main() {}
