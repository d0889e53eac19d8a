//! A method on a custom event takes the payload of another, and decides what the event does not allow.
//!
//! The messages should say: what `MemoriesRecalled` carries, and what its rails may return.

use exo_rails::prelude::*;

#[derive(Debug)]
struct Memories(Vec<String>);

#[derive(Event)]
#[event(payload = &mut Memories, allows = "abort")]
struct MemoriesRecalled;

struct Privacy;

#[rail]
impl Privacy {
    #[on(MemoriesRecalled)]
    fn recalled(&self, call: &ToolCallInputs) -> RailAction {
        RailAction::skip(call.tool_name.clone())
    }
}

rail_chain! {
    #[chain(events = [MemoriesRecalled])]
    struct Guards { privacy: Privacy }
}

fn main() {}
