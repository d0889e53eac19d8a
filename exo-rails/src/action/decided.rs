//! What a skip and a retry hold: the rail and its reason. An abort holds a [`RailAbortError`](crate::RailAbortError).

use crate::action::RetryRequest;
use crate::action::identity::RailIdentity;
use crate::point::{RailName, Reason};

/// A rail skipped the operation, or accepted its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RailSkip<S> {
    /// The rail that decided.
    pub rail_name: RailName,
    /// Why.
    pub reason: Reason,
    /// What stands in for the result of the operation.
    pub substitute: Option<S>,
}

/// A rail wants the operation to be done again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RailRetry {
    /// The rail that decided.
    pub rail_name: RailName,
    /// When, how often and why.
    pub request: RetryRequest,
    /// The key under which its retries are counted. Two rails of a guard set never share it, even if they share a name.
    pub(crate) identity: RailIdentity,
}
