//! Chains that many tasks share: without state, with state that all of them write, and with state in shares.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn no_shell(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

#[rail(priority = 15, on = [PreToolCall])]
fn known_id(call: &ToolCallInputs) -> RailAction {
    if call.id == "unknown" { RailAction::skip("nobody asked") } else { RailAction::Continue }
}

#[rail(priority = 90, on = [PostToolCall])]
fn short_output(output: &ToolOutput) -> Verdict {
    Verdict::abort_if(output.content.len() > 10_000, "too much to read")
}

rail_chain! {
    /// Nothing that threads could wait for each other for.
    pub(crate) struct Stateless { no_shell, known_id, short_output }
}

/// So many calls, for all tasks together.
pub(crate) struct RateLimit {
    left: AtomicU64,
}

#[rail(priority = 20)]
impl RateLimit {
    #[on(PreToolCall)]
    fn take(&self) -> Verdict {
        // Of several that come at once, each takes one of its own.
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        Verdict::abort_if(left.is_err(), "the limit is reached")
    }
}

/// How many calls there have been.
#[derive(Default)]
pub(crate) struct CallCount {
    calls: AtomicU64,
}

#[rail(priority = 80)]
impl CallCount {
    #[on(PostToolCall)]
    fn count(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }
}

rail_chain! {
    /// All threads write the same two numbers.
    pub(crate) struct Shared { no_shell, known_id, short_output, limit: RateLimit, count: CallCount }
}

impl Shared {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit: RateLimit { left: AtomicU64::new(limit) }, count: CallCount::default() }
    }

    pub(crate) fn calls(&self) -> u64 {
        self.count.calls.load(Ordering::Relaxed)
    }
}

/// How many calls a thread takes from the limit at once.
const LEASE: u64 = 256;

/// How many threads have a share of their own; further ones share it with others.
const SHARES: usize = 16;

/// What one thread writes, away from what others write: processors exchange memory by lines.
#[derive(Default)]
#[repr(align(128))]
struct Share(AtomicU64);

/// One for each thread.
#[derive(Default)]
struct Shares([Share; SHARES]);

impl Shares {
    fn own(&self) -> &AtomicU64 {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static NUMBER: usize = THREADS.fetch_add(1, Ordering::Relaxed) % SHARES;
        }
        // A thread that is ending has no number any more, and takes that of the first.
        &self.0[NUMBER.try_with(|number| *number).unwrap_or(0)].0
    }

    fn sum(&self) -> u64 {
        self.0.iter().map(|share| share.0.load(Ordering::Relaxed)).sum()
    }
}

/// The same limit: each thread takes several calls at once, so it asks the others rarely.
pub(crate) struct LeasedLimit {
    left: AtomicU64,
    leased: Shares,
}

#[rail(priority = 20)]
impl LeasedLimit {
    #[on(PreToolCall)]
    fn take(&self) -> Verdict {
        Verdict::abort_if(!self.has_one(), "the limit is reached")
    }
}

impl LeasedLimit {
    fn has_one(&self) -> bool {
        let own = self.leased.own();
        let take = |left: u64| left.checked_sub(1);
        if own.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok() {
            return true;
        }
        let lease = |left: u64| left.checked_sub(LEASE);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, lease).is_err() {
            return false;
        }
        own.fetch_add(LEASE - 1, Ordering::Relaxed);
        true
    }
}

/// The same count, added up when somebody asks.
#[derive(Default)]
pub(crate) struct SharedCount {
    calls: Shares,
}

#[rail(priority = 80)]
impl SharedCount {
    #[on(PostToolCall)]
    fn count(&self) {
        self.calls.own().fetch_add(1, Ordering::Relaxed);
    }
}

rail_chain! {
    /// Each thread writes its own share of the two numbers.
    pub(crate) struct InShares { no_shell, known_id, short_output, limit: LeasedLimit, count: SharedCount }
}

impl InShares {
    pub(crate) fn new(limit: u64) -> Self {
        let limit = LeasedLimit { left: AtomicU64::new(limit), leased: Shares::default() };
        Self { limit, count: SharedCount::default() }
    }

    pub(crate) fn calls(&self) -> u64 {
        self.count.calls.sum()
    }
}
