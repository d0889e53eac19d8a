//! The kinds of failures.

use serde::{Deserialize, Serialize};

/// The kinds of [`OperationError`](crate::OperationError). Rails decide by the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OperationErrorKind {
    /// The operation took too long.
    Timeout,
    /// The service received too many requests.
    RateLimited,
    /// The service could not be reached, or closed the connection.
    Unavailable,
    /// The service or the tool rejected the request or the arguments.
    InvalidRequest,
    /// The answer of the service was not valid.
    InvalidResponse,
    /// The tool, the model or another thing does not exist.
    NotFound,
    /// The operation was not permitted.
    Denied,
    /// Any other failure.
    Other,
}

impl std::fmt::Display for OperationErrorKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Timeout => "timeout",
            Self::RateLimited => "rate limited",
            Self::Unavailable => "unavailable",
            Self::InvalidRequest => "invalid request",
            Self::InvalidResponse => "invalid response",
            Self::NotFound => "not found",
            Self::Denied => "denied",
            Self::Other => "failed",
        })
    }
}
