//! Rails decide only what the event allows.

use exo_rails::prelude::*;

#[derive(Debug)]
struct Memories(Vec<String>);

#[derive(Event)]
#[event(payload = &mut Memories, allows = "skip")]
struct MemoriesRecalled;

#[derive(Event)]
struct Tick;

#[rail(on = [MemoriesRecalled])]
fn retries() -> RailAction {
    RailAction::retry(RetryRequest::new("once more"))
}

#[rail(on = [MemoriesRecalled])]
fn brings(memories: &mut Memories) -> RailAction<Memories, exo_rails::NoRetry> {
    RailAction::skip_with(Memories(std::mem::take(&mut memories.0)), "these are better")
}

#[rail(on = [Tick])]
fn stops() -> Verdict {
    Verdict::abort("no more")
}

#[rail(on = [SessionStart])]
fn skips() -> RailAction {
    RailAction::skip("no sessions")
}

#[rail(on = [PreCompaction])]
fn again() -> RailAction {
    RailAction::retry(RetryRequest::new("once more"))
}

rail_chain! {
    #[chain(events = [MemoriesRecalled, Tick])]
    struct Guards { retries, brings, stops, skips, again }
}

fn main() {}
