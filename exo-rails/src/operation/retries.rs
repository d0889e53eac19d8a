//! How often an operation is retried.

use std::time::Duration;

use crate::action::RetryRequest;
use crate::decision::RailIdentity;
use crate::error::RetriesExhausted;
use crate::point::{HookPoint, RailInfo};

/// The retry that a rail asks for.
pub(crate) struct Retry {
    pub(super) by: &'static RailInfo,
    pub(super) identity: RailIdentity,
    pub(super) request: RetryRequest,
    // Not the context's event: a rail may have run another event in the same context.
    pub(super) event: HookPoint,
}

/// How often the operation has been retried: for each rail that asked, and in total.
#[derive(Default)]
pub(super) struct Retries {
    of_rail: Vec<((RailIdentity, &'static RailInfo), u32)>,
    pub(super) total: u32,
}

impl Retries {
    /// Counts one more retry of this rail; returns how long to wait.
    ///
    /// # Errors
    /// When the rail has no retry left.
    pub(super) fn take(&mut self, retry: Retry) -> Result<Duration, RetriesExhausted> {
        let Retry { by, identity, request, event } = retry;
        // Types of two blocks can have the same name, and then stand at different places.
        let asks = (identity, by);
        let at = self.of_rail.iter().position(|(rail, _)| *rail == asks).unwrap_or_else(|| {
            self.of_rail.push((asks, 0));
            self.of_rail.len() - 1
        });
        let used = &mut self.of_rail[at].1;
        if *used >= request.max_retries {
            return Err(RetriesExhausted {
                rail_name: by.name,
                event,
                attempts: self.total + 1,
                max_retries: request.max_retries,
                reason: request.reason,
            });
        }
        *used += 1;
        self.total += 1;
        Ok(request.delay)
    }
}
