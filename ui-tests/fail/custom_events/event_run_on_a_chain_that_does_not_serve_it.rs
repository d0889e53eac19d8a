//! A chain is asked to run an event that it does not serve.

use exo_rails::prelude::*;

#[derive(Debug)]
struct Memories(Vec<String>);

#[derive(Event)]
#[event(payload = &mut Memories, allows = "skip")]
struct MemoriesRecalled;

#[rail(on = [PreToolCall])]
fn log() {}

rail_chain! {
    struct Guards { log }
}

async fn recall(memories: &mut Memories, ctx: &mut RunContext) -> exo_rails::Outcome<MemoriesRecalled> {
    (Guards {}).dispatch::<MemoriesRecalled>(memories, ctx).await
}

fn main() {}
