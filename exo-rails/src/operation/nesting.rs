//! Runs inside each other.

use std::cell::Cell;

use crate::error::{DepthLimit, RunError};

/// How many runs may be inside each other. Each takes its part of the stack when it is polled: 2 MiB, which threads have when
/// nobody says more, is enough for twice as many, also without optimisation.
const LIMIT: u32 = 8;

thread_local! {
    /// The runs that are being polled by this thread, each inside the one before.
    // Not in a context: an agent that makes its own for a run inside a tool uses the same stack.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// A run that is being polled.
pub(super) struct Nested {
    outside: u32,
}

impl Nested {
    pub(super) fn enter() -> Self {
        let outside = DEPTH.get();
        DEPTH.set(outside + 1);
        Self { outside }
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        DEPTH.set(self.outside);
    }
}

/// Asserts that one more run may begin here.
///
/// # Errors
/// When too many runs are around it.
pub(super) fn ensure_room() -> Result<(), RunError> {
    if DEPTH.get() >= LIMIT { Err(DepthLimit { limit: LIMIT }.into()) } else { Ok(()) }
}
