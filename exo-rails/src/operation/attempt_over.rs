//! Why an attempt ended without a result, and what decisions end it.

use super::retries::Retry;
use crate::action::{Allowed, RailSkip};
use crate::decision::Decision;
use crate::error::{Ending, RailAbortError, RailFault, RunError, SuspendedResult};
use crate::event::Event;

/// The reason why an attempt ended without a result.
// Boxed, because every result of an attempt has room for this type, and is moved.
pub(crate) enum AttemptOver {
    /// The operation fails.
    Failed(Box<RunError>),
    /// A rail asks for another attempt.
    Retry(Box<Retry>),
}

impl AttemptOver {
    /// Adds the result so far to the suspension, if a rail suspended the run.
    #[cold]
    pub(super) fn suspended_with(mut self, result: impl FnOnce() -> Option<SuspendedResult>) -> Self {
        if let Self::Failed(error) = &mut self
            && let RunError::Abort(abort) = &mut **error
            && let Some(Ending::Suspension(suspension)) = abort.ending.as_deref_mut()
        {
            suspension.result = result().map(Box::new);
        }
        self
    }
}

impl From<RunError> for AttemptOver {
    #[cold]
    fn from(error: RunError) -> Self {
        Self::Failed(Box::new(error))
    }
}

impl From<RailFault> for AttemptOver {
    fn from(fault: RailFault) -> Self {
        RunError::from(fault).into()
    }
}

impl From<RailAbortError> for AttemptOver {
    fn from(abort: RailAbortError) -> Self {
        RunError::from(abort).into()
    }
}

/// Acts on a decision. Returns the skip if the decision is a skip.
///
/// # Errors
/// Returns an error if the decision ends the attempt.
pub(super) fn act_on<E: Event>(decision: Decision<E>) -> Result<Option<RailSkip<E::Substitute>>, AttemptOver> {
    match decision {
        Decision::Continue => Ok(None),
        Decision::Skip(skip) => Ok(Some(skip.into_inner())),
        Decision::Retry(retry) => {
            Err(AttemptOver::Retry(Box::new(Retry { asked: retry.into_inner(), event: E::POINT, failure: None })))
        }
        Decision::Abort(abort) => Err(abort.into_inner().into()),
    }
}
