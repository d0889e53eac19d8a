//! The retries of an operation and of its run.

use super::RailContext;
use super::retry_budget::{CountedRetries, RetryBudget};
use crate::action::{RailIdentity, RailRetry, RetryRequest};
use crate::error::RetryLimit;

impl RailContext {
    /// Returns whether the library would refuse this retry of the rail.
    pub(crate) fn is_exhausted(&self, rail: RailIdentity, request: &RetryRequest) -> bool {
        // At attempt 0, the counts are still those of the previous operation: `count_retry` removes them later.
        let counted = if self.attempt == 0 { &[] } else { &*self.retries };
        let used = counted.iter().find(|counted| counted.rail == rail);
        self.is_spent
            || used.map_or(0, |counted| counted.used) >= request.max_retries
            || request.delay > self.scope.max_retry_delay
            || self.scope.retry_budget.as_ref().is_some_and(RetryBudget::is_empty)
    }

    /// Returns the number of retries that the run has left, if it has a limit.
    pub(super) fn retries_left(&self) -> Option<u32> {
        self.scope.retry_budget.as_ref().map(RetryBudget::left)
    }

    /// Notes that the operation cannot run again.
    #[inline]
    pub(crate) const fn spend(&mut self) {
        self.is_spent = true;
    }

    /// Counts a retry that a rail asks for.
    ///
    /// # Errors
    /// Returns an error if the rail or the run has no retry left, if the delay is too long, or if the operation cannot
    /// run again.
    pub(crate) fn count_retry(&mut self, retry: &RailRetry) -> Result<(), RetryLimit> {
        if self.is_spent {
            return Err(RetryLimit::Once);
        }
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
