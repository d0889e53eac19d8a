//! Rails on the payload in the place of the event: one that decides, one that is generic, one with options.
//!
//! The message should say: `Memories` is not an event; once for each rail.

use std::marker::PhantomData;

use exo_rails::prelude::*;

#[derive(Debug)]
struct Memories(Vec<String>);

#[derive(Event)]
#[event(payload = &mut Memories, allows = "abort")]
struct MemoriesRecalled;

#[rail(on = [Memories])]
fn privacy(memories: &Memories) -> Verdict {
    Verdict::abort_if(memories.0.is_empty(), "nothing is recalled")
}

#[derive(Provided)]
struct Count(usize);

#[rail(on = [Memories, MemoriesRecalled], on_fault = "skip", timeout = "1s", provides = [Count])]
async fn count(memories: &mut Memories) -> Result<Count, String> {
    Ok(Count(memories.0.len()))
}

struct Limit<S>(PhantomData<S>);

#[rail]
impl<S: Send + Sync + 'static> Limit<S> {
    #[on(Memories, always)]
    fn recalled(&self, memories: &Memories) -> Result<(), String> {
        Err(format!("{memories:?}"))
    }
}

rail_chain! {
    #[chain(events = [MemoriesRecalled])]
    struct Guards { privacy, count, limit: Limit<u8> }
}

fn main() {}
