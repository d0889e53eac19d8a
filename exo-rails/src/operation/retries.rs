//! How often an operation is retried.

use std::time::Duration;

use crate::action::{RailIdentity, RailRetry};
use crate::error::RetriesExhausted;
use crate::point::{HookPoint, RailName};

/// The retry that a rail asks for.
pub(crate) struct Retry {
    pub(super) asked: RailRetry,
    // Not the context's event: a rail may have run another event in the same context.
    pub(super) event: HookPoint,
}

/// How often the operation has been retried: for each rail that asked, and in total.
#[derive(Default)]
pub(super) struct Retries {
    of_rail: Vec<((RailIdentity, RailName), u32)>,
    pub(super) total: u32,
}

impl Retries {
    /// Counts one more retry of the rail that asks for it; returns how long to wait.
    ///
    /// # Errors
    /// When the rail has no retry left.
    pub(super) fn take(&mut self, retry: Retry) -> Result<Duration, RetriesExhausted> {
        let Retry { asked: RailRetry { rail_name, request, identity }, event } = retry;
        // Types of two blocks can have the same path, and then their rails have two names.
        let at = self.of_rail.iter().position(|((rail, name), _)| *rail == identity && *name == rail_name);
        let at = at.unwrap_or_else(|| {
            self.of_rail.push(((identity, rail_name.clone()), 0));
            self.of_rail.len() - 1
        });
        let used = &mut self.of_rail[at].1;
        if *used >= request.max_retries {
            return Err(RetriesExhausted {
                rail_name,
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
