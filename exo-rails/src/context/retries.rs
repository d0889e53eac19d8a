//! The retries of an operation and of its run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::RailContext;
use crate::action::{RailIdentity, RailRetry, RetryRequest};
use crate::error::RetryLimit;

/// The retries of an operation that one rail has asked for.
#[derive(Debug)]
pub(crate) struct CountedRetries {
    rail: RailIdentity,
    used: u32,
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
        let left = AtomicU32::new(self.left.load(Ordering::Relaxed));
        Self { max_retries: self.max_retries, left: Arc::new(left) }
    }

    /// Reduces the remaining retries to at most this number.
    pub(super) fn limit(&self, left: u32) {
        self.left.fetch_min(left, Ordering::Relaxed);
    }

    fn is_empty(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    fn take(&self) -> Result<(), RetryLimit> {
        let less = |left: u32| left.checked_sub(1);
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.map(drop).map_err(|_| RetryLimit::Run { max_retries: self.max_retries })
    }
}

impl RailContext {
    /// Returns whether the library would refuse this retry of the rail.
    pub(crate) fn is_exhausted(&self, rail: RailIdentity, request: &RetryRequest) -> bool {
        // At attempt 0, the counts are still those of the previous operation: `count_retry` removes them later.
        let counted = if self.attempt == 0 { &[] } else { &*self.retries };
        let used = counted.iter().find(|counted| counted.rail == rail);
        used.map_or(0, |counted| counted.used) >= request.max_retries
            || request.delay > self.scope.max_retry_delay
            || self.scope.retry_budget.as_ref().is_some_and(RetryBudget::is_empty)
    }

    /// Returns the number of retries that the run has left, if it has a limit.
    pub(super) fn retries_left(&self) -> Option<u32> {
        self.scope.retry_budget.as_ref().map(|budget| budget.left.load(Ordering::Relaxed))
    }

    /// Counts a retry that a rail asks for.
    ///
    /// # Errors
    /// Returns an error if the rail or the run has no retry left, or if the delay is too long.
    pub(crate) fn count_retry(&mut self, retry: &RailRetry) -> Result<(), RetryLimit> {
        if self.attempt == 0 {
            self.retries.clear();
        }
        let (rail, max_retries) = (retry.identity, retry.request.max_retries);
        let at = self.retries.iter().position(|counted| counted.rail == rail).unwrap_or_else(|| {
            self.retries.push(CountedRetries { rail, used: 0 });
            self.retries.len() - 1
        });
        if self.retries[at].used >= max_retries {
            return Err(RetryLimit::Rail { max_retries });
        }
        let max_delay = self.scope.max_retry_delay;
        if retry.request.delay > max_delay {
            return Err(RetryLimit::Delay { max_seconds: u32::try_from(max_delay.as_secs()).unwrap_or(u32::MAX) });
        }
        if let Some(budget) = &self.scope.retry_budget {
            budget.take()?;
        }
        self.retries[at].used += 1;
        Ok(())
    }
}
