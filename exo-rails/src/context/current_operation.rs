//! The operation of a context, for the answers that its rails read.

use std::sync::atomic::{AtomicU32, Ordering};

/// The context is not in an operation.
pub(super) const NONE: u32 = u32::MAX;

/// No rail of the operation has read an answer yet.
const UNNUMBERED: u32 = 0;

/// The operation of a context. It has a number if its rails have read an answer.
// Not a plain number, because rails read answers through a shared context.
#[derive(Debug)]
pub(super) struct CurrentOperation(AtomicU32);

impl Default for CurrentOperation {
    fn default() -> Self {
        Self(AtomicU32::new(NONE))
    }
}

impl CurrentOperation {
    /// Starts an operation. An operation before it may have been dropped, so it may still have a number.
    #[inline]
    pub(super) fn begin(&mut self) {
        *self.0.get_mut() = UNNUMBERED;
    }

    /// Ends the operation, and returns its number. Returns `None` if its rails have read no answer, and [`NONE`] if the context is
    /// not in an operation.
    #[inline]
    pub(super) fn end(&mut self) -> Option<u32> {
        let number = std::mem::replace(self.0.get_mut(), NONE);
        (number != UNNUMBERED).then_some(number)
    }

    /// Returns the number of the operation, or [`NONE`]. Numbers the operation if necessary.
    pub(super) fn number(&self) -> u32 {
        static OPERATIONS: AtomicU32 = AtomicU32::new(0);
        let new = || OPERATIONS.fetch_add(1, Ordering::Relaxed) % (NONE - 1) + 1;
        match self.0.load(Ordering::Relaxed) {
            UNNUMBERED => match self.0.compare_exchange(UNNUMBERED, new(), Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => self.0.load(Ordering::Relaxed),
                // Another rail that runs concurrently was faster.
                Err(number) => number,
            },
            number => number,
        }
    }

    /// Returns the number that the operation has, without numbering it.
    pub(super) fn known_number(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns the same operation, for the context of a rail in shadow.
    pub(super) fn same(&self) -> Self {
        Self(AtomicU32::new(self.known_number()))
    }
}
