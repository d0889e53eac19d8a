//! The retries of an operation.

use std::time::Duration;

use crate::action::RailRetry;
use crate::context::RailContext;
use crate::error::{OperationError, RetriesExhausted};
use crate::message::Message;
use crate::point::HookPoint;

/// A retry that a rail asks for.
pub(crate) struct Retry {
    pub(super) asked: RailRetry,
    // Not the event of the context, because a rail may have run another event in the same context.
    pub(super) event: HookPoint,
    /// The failure of the operation, if it failed.
    pub(super) failure: Option<Box<OperationError>>,
}

/// A retry that was granted.
pub(super) struct Granted {
    pub(super) delay: Duration,
    pub(super) feedback: Option<Box<Message>>,
}

impl Retry {
    /// Counts the retry.
    ///
    /// # Errors
    /// Returns an error if the rail or the run has no retry left, or if the delay is too long.
    pub(super) fn grant(self, ctx: &mut RailContext) -> Result<Granted, RetriesExhausted> {
        let Self { asked, event, failure } = self;
        let counted = ctx.count_retry(&asked);
        let RailRetry { rail_name, request, .. } = asked;
        match counted {
            Ok(()) => Ok(Granted { delay: request.delay, feedback: request.feedback }),
            Err(limit) => {
                let (attempts, reason) = (ctx.attempt() + 1, request.reason);
                Err(RetriesExhausted { rail_name, event, attempts, limit, reason, failure })
            }
        }
    }
}
