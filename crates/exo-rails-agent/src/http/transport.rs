//! Errors of a connection: nothing can be reached, nothing comes in time, an answer breaks off.

use std::error::Error;
use std::time::Duration;

use exo_rails::{OperationError, OperationErrorKind};

/// Returns the error of something that takes too long.
pub(crate) fn timed_out(what: &str, limit: Duration) -> OperationError {
    OperationError::new(OperationErrorKind::Timeout, format!("{what} within {limit:?}"))
}

/// Returns the error of a request that got no answer.
pub(crate) fn unreachable(error: reqwest::Error) -> OperationError {
    let kind = match () {
        () if error.is_timeout() => OperationErrorKind::Timeout,
        () if error.is_builder() => OperationErrorKind::InvalidRequest,
        () => OperationErrorKind::Unavailable,
    };
    transport(kind, "the server cannot be reached", error)
}

/// Returns the error of an answer that broke off.
pub(crate) fn broken_off(error: reqwest::Error) -> OperationError {
    transport(OperationErrorKind::Unavailable, "the answer breaks off", error)
}

fn transport(kind: OperationErrorKind, what: &str, error: reqwest::Error) -> OperationError {
    // A URL may contain a key.
    let error = error.without_url();
    let mut cause: &dyn Error = &error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    OperationError::new(kind, format!("{what}: {cause}")).with_source(error)
}
