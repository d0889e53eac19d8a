//! Chains that many tasks share: without state, with shared state, and with state that is split into shares.

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
    /// A chain without state, so threads never wait for each other.
    pub(crate) struct Stateless { no_shell, known_id, short_output }
}

/// A limit on the calls of all tasks together.
pub(crate) struct RateLimit {
    left: AtomicU64,
}

#[rail(priority = 20)]
impl RateLimit {
    #[on(PreToolCall)]
    fn take(&self) -> Verdict {
        // If several calls arrive at the same time, each takes a different one.
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        Verdict::abort_if(left.is_err(), "the limit is reached")
    }
}

/// Counts the calls.
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

/// The number of calls that a thread takes from the limit at a time.
const LEASE: u64 = 256;

/// The number of threads with their own share. Further threads use a share together with others.
const SHARES: usize = 16;

/// The number of one thread. It has its own cache line, because processors exchange memory in lines.
#[derive(Default)]
#[repr(align(128))]
struct Share(AtomicU64);

/// One share for each thread.
#[derive(Default)]
struct Shares([Share; SHARES]);

impl Shares {
    fn own(&self) -> &AtomicU64 {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static NUMBER: usize = THREADS.fetch_add(1, Ordering::Relaxed) % SHARES;
        }
        // A thread that is ending has lost its number, and uses the first share.
        &self.0[NUMBER.try_with(|number| *number).unwrap_or(0)].0
    }

    fn sum(&self) -> u64 {
        self.0.iter().map(|share| share.0.load(Ordering::Relaxed)).sum()
    }
}

/// A limit for all tasks. Each thread takes several calls at a time, so threads rarely wait for each other.
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

/// Counts the calls. Adds the shares up when a caller asks for the sum.
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
