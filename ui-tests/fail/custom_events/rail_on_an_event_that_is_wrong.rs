//! An event with a mistake, and all that is made of it.
//!
//! The message should say: write `&Memories`, or `&mut Memories`; and nothing of the rail, the chain and the call.

use exo_rails::prelude::*;

#[derive(Debug)]
struct Memories(Vec<String>);

#[derive(Event)]
#[event(payload = Memories, allow = "skip")]
struct MemoriesRecalled;

#[rail(on = [MemoriesRecalled])]
fn privacy(memories: &mut Memories) -> RailAction {
    memories.0.clear();
    RailAction::skip("nothing is recalled")
}

rail_chain! {
    #[chain(events = [MemoriesRecalled])]
    struct Guards { privacy }
}

async fn recall(memories: &mut Memories, ctx: &mut RunContext) -> Result<(), RailFault> {
    let _ = (Guards {}).dispatch::<MemoriesRecalled>(memories, ctx).await?;
    Ok(())
}

fn main() {}
