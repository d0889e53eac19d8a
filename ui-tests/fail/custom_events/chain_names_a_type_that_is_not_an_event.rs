//! A chain that names as its event what is none: the payload.
//!
//! The message should say: `Memories` is not an event.

use exo_rails::prelude::*;

#[derive(Debug)]
struct Memories(Vec<String>);

#[derive(Event)]
#[event(payload = &mut Memories, allows = "skip")]
struct MemoriesRecalled;

#[rail(on = [MemoriesRecalled])]
fn forget(memories: &mut Memories) {
    memories.0.clear();
}

rail_chain! {
    #[chain(events = [Memories, MemoriesRecalled])]
    struct Guards { forget }
}

rail_chain! { struct Outer { Guards } }

async fn recall(memories: &mut Memories, ctx: &mut RunContext) -> Result<(), RailFault> {
    let _ = (Guards {}).dispatch::<MemoriesRecalled>(memories, ctx).await?;
    Ok(())
}

fn main() {}
