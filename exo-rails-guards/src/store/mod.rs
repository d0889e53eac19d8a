//! State stores: where guards keep what must outlive an event, a run, or the process.

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

/// The future of a store's operation.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A place for the state of guards: records, counters and logs under keys.
///
/// Each operation is atomic, also between processes if the store is shared between processes. Guards treat every
/// [`StoreError`] as a fault, so by default a store that fails or does not answer stops the run.
///
/// A key is any text. Guards build keys of parts with `/` between them, such as `budget/tokens/user:ada`.
pub trait StateStore: fmt::Debug + Send + Sync {
    /// Returns the record under a key. `None` if there is no record, or if the record has expired.
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Record>>;

    /// Writes or removes a record, if the record is the expected one.
    fn compare_and_set<'a>(
        &'a self,
        key: &'a str,
        expected: Expected,
        write: Write<'a>,
    ) -> StoreFuture<'a, Result<Version, Conflict>>;

    /// Reserves amounts in several counters, all or none.
    ///
    /// A counter has a limit for the amounts that are used and reserved together. The reservation ends with
    /// [`settle`](Self::settle). If nobody settles it within `hold_for`, for example because the process died, it expires
    /// and its amounts are free again.
    fn reserve<'a>(
        &'a self,
        claims: &'a [Claim<'a>],
        hold_for: Duration,
    ) -> StoreFuture<'a, Result<Reservation, OverLimit>>;

    /// Ends a reservation: for each claim, `used` replaces the reserved amount. `used` has one amount for each claim, and 0
    /// gives the amount back.
    ///
    /// The amounts count even if the reservation has expired, because the calls have happened.
    fn settle<'a>(&'a self, reservation: &'a Reservation, used: &'a [u64]) -> StoreFuture<'a, ()>;

    /// Returns the state of a counter.
    fn counter<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Counter>;

    /// Appends an entry to a log, and keeps at most the last `keep` entries. Returns the number of the entry, from 0.
    fn append<'a>(
        &'a self,
        key: &'a str,
        entry: &'a [u8],
        keep: usize,
        expires_in: Option<Duration>,
    ) -> StoreFuture<'a, u64>;

    /// Returns the entries of a log that are kept, with their numbers, from the oldest.
    fn entries<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Vec<(u64, Vec<u8>)>>;
}

/// The version of a record. Each write has a new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version(pub u64);

/// A record with its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The content.
    pub value: Vec<u8>,
    /// The version, for [`StateStore::compare_and_set`].
    pub version: Version,
}

/// The record that a write replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// There is no record.
    Absent,
    /// The record has this version.
    Version(Version),
    /// Any record, or none.
    Any,
}

/// A change of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write<'a> {
    /// Writes the record. It expires after this time, or never.
    Put(&'a [u8], Option<Duration>),
    /// Removes the record.
    Remove,
}

/// The record was not the expected one, and nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The record that the store has.
    pub found: Option<Record>,
}

/// An amount to reserve in a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    /// The key of the counter.
    pub key: &'a str,
    /// The amount.
    pub amount: u64,
    /// The largest sum of the used and the reserved amounts.
    pub limit: u64,
    /// The time after which the used amounts are forgotten, from the first use. `None` means never.
    pub window: Option<Duration>,
}

/// Reserved amounts: see [`StateStore::reserve`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The id, which is unique in the store.
    pub id: String,
    /// The keys of the counters, in the order of the claims.
    pub keys: Vec<String>,
}

/// A counter has no room for a claim, and nothing was reserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverLimit {
    /// The index of the claim.
    pub claim: usize,
    /// The state of its counter.
    pub counter: Counter,
}

/// The state of a counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// The amounts of settled reservations.
    pub used: u64,
    /// The amounts of reservations that are neither settled nor expired.
    pub reserved: u64,
    /// The time until the used amounts are forgotten, if the counter has a window and amounts are used.
    pub resets_in: Option<Duration>,
}

/// The reason why a store could not perform an operation. Nothing was changed, unless the connection broke during the
/// operation.
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
    /// A record cannot be read as the type that the guard keeps there.
    #[error("the record `{key}` of the state store cannot be read: {source}")]
    Unreadable {
        /// The key of the record.
        key: String,
        /// The error of the deserialization.
        source: serde_json::Error,
    },
    /// The store is full, and its bound keeps it from growing.
    #[error("the state store is full: {0}")]
    Full(String),
}
