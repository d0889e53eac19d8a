//! The content of a decision to skip or to retry. A decision to abort holds a [`RailAbortError`](crate::RailAbortError).

use crate::action::RetryRequest;
use crate::action::identity::RailIdentity;
use crate::point::{RailName, Reason};

/// The decision of a rail to skip the operation, or to accept its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RailSkip<S> {
    /// The rail that decided.
    pub rail_name: RailName,
    /// Why the rail skipped.
    pub reason: Reason,
    /// The substitute for the result of the operation.
    pub substitute: Option<S>,
}

/// The decision of a rail to retry the operation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RailRetry {
    /// The rail that decided.
    pub rail_name: RailName,
    /// The delay, the number of retries and the reason.
    pub request: RetryRequest,
    /// The key under which the context counts the retries of this rail. Two rails of a guard set never share a key, even if
    /// they share a name.
    pub(crate) identity: RailIdentity,
}
