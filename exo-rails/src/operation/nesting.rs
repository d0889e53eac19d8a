//! The limit of runs inside each other.

use std::cell::Cell;

use crate::error::{DepthLimit, RunError};

/// The number of runs that may be inside each other. Each run uses a part of the stack while it is polled. The default stack of a
/// thread, 2 MiB, is enough for twice this number in a build without optimisation.
const LIMIT: u32 = 8;

thread_local! {
    /// The number of runs that this thread is polling, each inside the previous one.
    // Not in the context: a tool may run an agent in a new context, on the same stack.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// A run that the thread is polling.
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

/// Checks that another run may start here.
///
/// # Errors
/// Returns an error if this number of runs is inside each other already.
pub(super) fn ensure_room() -> Result<(), RunError> {
    if DEPTH.get() >= LIMIT { Err(DepthLimit { limit: LIMIT }.into()) } else { Ok(()) }
}
