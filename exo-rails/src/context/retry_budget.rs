//! The retries that one rail has used, and the retries that a run has left.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::action::RailIdentity;
use crate::error::RetryLimit;

/// The retries of an operation that one rail has asked for.
#[derive(Debug)]
pub(crate) struct CountedRetries {
    pub(super) rail: RailIdentity,
    pub(super) used: u32,
}

/// The retries that a run has left: see [`RunContext::with_max_retries`](crate::RunContext::with_max_retries).
#[derive(Clone, Debug)]
pub(super) struct RetryBudget {
    max_retries: u32,
    left: Arc<AtomicU32>,
}

impl RetryBudget {
    pub(super) fn new(max_retries: u32) -> Self {
        Self { max_retries, left: Arc::new(AtomicU32::new(max_retries)) }
    }

    /// Returns a budget with the same number of retries left.
    pub(super) fn copied(&self) -> Self {
        let left = AtomicU32::new(self.left());
        Self { max_retries: self.max_retries, left: Arc::new(left) }
    }

    /// Reduces the remaining retries to at most this number.
    pub(super) fn limit(&self, left: u32) {
        self.left.fetch_min(left, Ordering::Relaxed);
    }

    /// Returns the number of retries left.
    pub(super) fn left(&self) -> u32 {
        self.left.load(Ordering::Relaxed)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.left() == 0
    }

    /// Takes a retry out of the budget.
    pub(super) fn take(&self) -> Result<(), RetryLimit> {
        let less = |left: u32| left.checked_sub(1);
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.map(drop).map_err(|_| RetryLimit::Run { max_retries: self.max_retries })
    }
}
