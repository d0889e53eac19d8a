//! State stores: where guards keep what must outlive an event, a run, or the process.
//!
//! These stores exist:
//!
//! | store | who shares the state | what survives |
//! |---|---|---|
//! | [`MemoryStore`] | the guards of one process | nothing |
//! | `FileStore`, feature `file-store` | the processes of one machine | the end of processes, at any point |
//! | `RedisStore`, feature `redis` | processes on several machines | what the server keeps |
//!
//! A guard has its store as a [`GuardStore`], which adds a time limit and a namespace for guards in shadow.
//! [`StateStoreExt`] has what guards and programs add to any store: [typed records](StateStoreExt::update), a
//! [namespace](StateStoreExt::namespace), and a [time limit](StateStoreExt::within).

mod counter;
mod error;
mod ext;
#[cfg(feature = "file-store")]
mod file;
mod guard_store;
mod key;
mod log;
mod memory;
mod namespace;
mod record;
#[cfg(feature = "redis")]
mod redis;
mod time;
mod within;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "redis")]
pub use self::redis::RedisStore;
pub use counter::{Claim, Counter, MAX_AMOUNT, OverLimit, Reservation, Reserved};
pub use error::StoreError;
pub use ext::{Change, StateStoreExt};
#[cfg(feature = "file-store")]
pub use file::FileStore;
pub use guard_store::GuardStore;
pub use key::key;
pub use log::LogEntry;
pub use memory::MemoryStore;
pub use record::{Conflict, Expected, Record, Version, Write};
pub use within::TIME_LIMIT;

/// The future of a store's operation.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A place for the state of guards: records, counters and logs under keys.
///
/// Each operation is atomic, also between processes if the store is shared between processes. Guards treat every
/// [`StoreError`] as a fault, so by default a store that fails or does not answer stops the run.
///
/// A key is any text. [`key`] makes it from parts, such as `budget/tokens/ada`. A record, a counter and a log under the same
/// key are three different things.
///
/// The store measures all times with its own clock, in milliseconds. Parts of a millisecond are rounded up.
///
/// # Counters
///
/// A counter limits what several calls use together, including the calls that are still running:
///
/// 1. Before the call, [`reserve`](Self::reserve) the largest amount that the call may use.
/// 2. After the call, [`settle`](Self::settle) the reservation with the amount that the call has used.
///
/// ```
/// use std::time::Duration;
/// use exo_rails_guards::store::{Claim, MemoryStore, StateStore, StoreError};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), StoreError> {
/// let store = MemoryStore::new();
/// let day = Some(Duration::from_hours(24));
/// let claim = Claim { key: "tokens/ada", amount: 600, limit: 1_000, window: day };
///
/// let hold_for = Duration::from_mins(1);
/// let reservation = store.reserve(&[claim], hold_for).await?.expect("the counter is empty");
/// let over_limit = store.reserve(&[claim], hold_for).await?.unwrap_err();
/// assert_eq!(over_limit.counter.reserved, 600);
///
/// store.settle(&reservation, &[350]).await?;
/// assert!(store.reserve(&[claim], hold_for).await?.is_ok());
/// # Ok(())
/// # }
/// ```
///
/// If the process ends between the two steps, the reservation expires and its amounts are free again.
///
/// A counter can have a *window*: the time after which the used amounts are forgotten. The first settled amount opens the
/// window, and at its end the counter begins again from 0. Such a fixed window needs one number for each counter, and people
/// can understand when their budget is back. A sliding window needs a list of all uses. The price is that the calls at the end
/// of one window and those at the beginning of the next can together use up to twice the limit within one window's length.
/// If this is too much, claim from two counters at once, such as one for the day and one for the hour.
pub trait StateStore: fmt::Debug + Send + Sync {
    /// Returns the record under a key. `None` if there is no record, or if the record has expired.
    ///
    /// # Errors
    /// Returns an error if the store fails or does not answer.
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Record>>;

    /// Writes or removes a record, if the record is the expected one.
    ///
    /// A success has the version of the written record. After a removal, no record has this version.
    ///
    /// # Errors
    /// Returns an error if the store fails or does not answer, or if it has no room for the record.
    fn compare_and_set<'a>(
        &'a self,
        key: &'a str,
        expected: Expected,
        write: Write<'a>,
    ) -> StoreFuture<'a, Result<Version, Conflict>>;

    /// Reserves amounts in several counters, all or none.
    ///
    /// The reservation ends with [`settle`](Self::settle). If nobody settles it within `hold_for`, for example because the
    /// process died, it expires and its amounts are free again. So `hold_for` must be longer than the call can take.
    ///
    /// Several claims may have the same key. Then the counter must have room for their sum.
    ///
    /// # Errors
    /// Returns an error if the store fails or does not answer, or if it has no room for the reservation. Then a reservation may
    /// exist if the store is remote, and it expires.
    fn reserve<'a>(
        &'a self,
        claims: &'a [Claim<'a>],
        hold_for: Duration,
    ) -> StoreFuture<'a, Result<Reservation, OverLimit>>;

    /// Ends a reservation: for each claim, the used amount replaces the reserved amount. `used` has one amount for each claim.
    /// The amount 0 gives the reserved amount back.
    ///
    /// The used amounts always count, because the calls have happened: also if they are larger than the reserved amounts, if
    /// the limit is exceeded, and if the reservation has expired. The second settlement of a reservation changes nothing. So it
    /// is safe to settle again after an error. The store recognizes a second settlement until ten minutes after the reservation
    /// would have expired. Later it counts again.
    ///
    /// # Errors
    /// Returns an error if the store fails or does not answer, or if `used` does not have one amount for each claim.
    fn settle<'a>(&'a self, reservation: &'a Reservation, used: &'a [u64]) -> StoreFuture<'a, ()>;

    /// Returns the state of a counter.
    ///
    /// # Errors
    /// Returns an error if the store fails or does not answer.
    fn counter<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Counter>;

    /// Appends an entry to a log, and removes the oldest entries so that at most `keep` entries are left. Returns the number of
    /// the entry, from 0.
    ///
    /// The whole log expires if nobody appends to it for the time `expires_in`. Then its numbers begin again from 0. `None` means
    /// never. The new entry is always kept, so 0 for `keep` means 1.
    ///
    /// # Errors
    /// Returns an error if the store fails or does not answer, or if it has no room for the entry.
    fn append<'a>(
        &'a self,
        key: &'a str,
        entry: &'a [u8],
        keep: usize,
        expires_in: Option<Duration>,
    ) -> StoreFuture<'a, u64>;

    /// Returns the entries of a log that are kept, from the oldest.
    ///
    /// # Errors
    /// Returns an error if the store fails or does not answer.
    fn entries<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Vec<LogEntry>>;
}

/// A shared store is a store.
impl<S: StateStore + ?Sized> StateStore for Arc<S> {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Record>> {
        (**self).get(key)
    }

    fn compare_and_set<'a>(
        &'a self,
        key: &'a str,
        expected: Expected,
        write: Write<'a>,
    ) -> StoreFuture<'a, Result<Version, Conflict>> {
        (**self).compare_and_set(key, expected, write)
    }

    fn reserve<'a>(
        &'a self,
        claims: &'a [Claim<'a>],
        hold_for: Duration,
    ) -> StoreFuture<'a, Result<Reservation, OverLimit>> {
        (**self).reserve(claims, hold_for)
    }

    fn settle<'a>(&'a self, reservation: &'a Reservation, used: &'a [u64]) -> StoreFuture<'a, ()> {
        (**self).settle(reservation, used)
    }

    fn counter<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Counter> {
        (**self).counter(key)
    }

    fn append<'a>(
        &'a self,
        key: &'a str,
        entry: &'a [u8],
        keep: usize,
        expires_in: Option<Duration>,
    ) -> StoreFuture<'a, u64> {
        (**self).append(key, entry, keep, expires_in)
    }

    fn entries<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Vec<LogEntry>> {
        (**self).entries(key)
    }
}
