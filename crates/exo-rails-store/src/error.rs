//! The errors of state stores.

use std::time::Duration;

/// The reason why a store could not perform an operation.
///
/// The operation has changed nothing. There is one exception: if the time limit ended, or if the connection to a remote store
/// broke, the operation may have happened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store did not answer in time.
    #[error("the state store did not answer within {limit:?}")]
    Timeout {
        /// The time limit.
        limit: Duration,
    },
    /// The store failed.
    #[error("the state store failed: {0}")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A record is not JSON of the expected type, or a value cannot be written as JSON.
    ///
    /// The error contains no details, because details could quote the record.
    #[error("the record `{key}` of the state store cannot be converted between JSON and `{type_name}`")]
    Invalid {
        /// The key of the record.
        key: String,
        /// The name of the type.
        type_name: &'static str,
    },
    /// The store has reached its bound, or its disk is full.
    #[error("the state store is full: {0}")]
    Full(String),
    /// Other writers changed the record during each attempt to update it.
    #[error(
        "the record `{key}` of the state store was changed by others during each of {attempts} attempts to update it"
    )]
    Contended {
        /// The key of the record.
        key: String,
        /// The number of attempts.
        attempts: u32,
    },
    /// The store has lost its state since the first operation, or since the reservation was made. It may have forgotten budgets and
    /// approvals, so do not make the call.
    #[error("the state store has lost its state: {0}")]
    Lost(String),
    /// The number of used amounts is not the number of claims of the reservation.
    #[error("the reservation has {claims} claims, so settle it with {claims} amounts, not {amounts}")]
    AmountCount {
        /// The number of claims.
        claims: usize,
        /// The number of used amounts.
        amounts: usize,
    },
}

impl StoreError {
    /// Makes the error [`Failed`](Self::Failed). Use it when you implement a store.
    pub fn failed(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Failed(source.into())
    }
}
