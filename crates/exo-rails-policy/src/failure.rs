//! Why calls fail.

use serde::{Deserialize, Serialize};

/// Why a call failed, as `retry` and `circuit_breaker` name it. The names are those of `OperationErrorKind` in `exo-rails`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The call took too long.
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
    /// The call was not permitted.
    Denied,
    /// Any other failure.
    Other,
}
