//! The kinds of failures.

use serde::{Deserialize, Serialize};

/// Kinds of [`OperationError`](crate::OperationError), for rails that decide by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OperationErrorKind {
    /// It took too long.
    Timeout,
    /// There were too many requests.
    RateLimited,
    /// The other side could not be reached, or broke off.
    Unavailable,
    /// The request, or the arguments of the tool call, made no sense to the other side.
    InvalidRequest,
    /// The other side's answer made no sense.
    InvalidResponse,
    /// The tool, the model or another thing does not exist.
    NotFound,
    /// It was not permitted.
    Denied,
    /// Anything else.
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
