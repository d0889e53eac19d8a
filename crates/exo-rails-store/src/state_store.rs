//! What every store does: records, counters and logs under keys.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::{Claim, Conflict, Counter, Expected, LogEntry, OverLimit, Record, Reservation, StoreError, Version, Write};

/// The future that each operation of a [`StateStore`] returns.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A place for state: records, counters and logs under keys.
///
/// Each operation is atomic, also between processes that share the store. If a store fails or does not answer, you do not know
/// whether a limit is used up. So do not make the call that the limit is for.
///
/// A key is any text. The function [`key`](crate::key()) makes a key from parts, such as `budget/tokens/ada`. A record, a
/// counter and a log may have the same key, and do not affect each other.
///
/// The store measures all times with its own clock, in milliseconds. It rounds parts of a millisecond up.
///
/// # Counters
///
/// A counter limits the amount that several calls use together, including calls that are still running:
///
/// 1. Before the call, [`reserve`](Self::reserve) the largest amount that the call may use.
/// 2. After the call, [`settle`](Self::settle) the reservation with the amount that the call has used.
///
/// ```
/// use std::time::Duration;
/// use exo_rails_store::{Claim, MemoryStore, StateStore, StoreError};
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
/// A counter can have a *window*, for example a day. The first settled amount opens the window. When the window ends, the
/// counter begins again at 0.
///
/// These windows are fixed, and do not slide. So calls at the end of one window and at the beginning of the next can together
/// use up to twice the limit within the length of one window. If this is too much, claim from two counters at once, such as one
/// for the day and one for the hour. In return, a counter needs only one number, and people can see when their budget is back.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a store for the state of guards",
    label = "not a store",
    note = "the store in memory is `MemoryStore::new()`; stores for several processes are in `exo_rails_guards::store`, behind features",
    note = "a store of your own implements `StateStore`"
)]
pub trait StateStore: fmt::Debug + Send + Sync {
    /// Returns the record with this key, or `None` if there is no record or it has expired.
    ///
    /// # Errors
    /// Returns an error if the store fails or does not answer.
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Record>>;

    /// Writes or removes a record, if the current record is the expected one. Otherwise returns a [`Conflict`] with the current
    /// record, and changes nothing.
    ///
    /// Returns the version of the written record. After a removal, the version belongs to no record.
    ///
    /// # Errors
    /// Returns an error if the store fails or does not answer, or if it has no room for the record.
    fn compare_and_set<'a>(
        &'a self,
        key: &'a str,
        expected: Expected,
        write: Write<'a>,
    ) -> StoreFuture<'a, Result<Version, Conflict>>;

    /// Reserves an amount in each of several counters. If one counter has no room, the store reserves nothing and returns
    /// [`OverLimit`].
    ///
    /// [`settle`](Self::settle) ends the reservation. If nobody settles it within `hold_for`, for example because the process
    /// died, it expires and its amounts are free again. So `hold_for` must be longer than the longest call.
    ///
    /// Several claims may have the same key. Then the counter must have room for their sum.
    ///
    /// # Errors
    /// Returns an error if the store fails or does not answer, or if it has no room for the reservation. After an error of a
    /// remote store, the reservation may exist until it expires.
    fn reserve<'a>(
        &'a self,
        claims: &'a [Claim<'a>],
        hold_for: Duration,
    ) -> StoreFuture<'a, Result<Reservation, OverLimit>>;

    /// Ends a reservation: for each claim, the used amount replaces the reserved amount. `used` has one amount for each claim,
    /// in the order of the claims. The amount 0 frees the reserved amount.
    ///
    /// The used amounts always count, because the calls have happened. They count even if they are larger than the reserved
    /// amounts, if they exceed the limit, or if the reservation has expired.
    ///
    /// If you settle a reservation again, nothing changes. So it is safe to settle again after an error. The store remembers a
    /// settlement until ten minutes after the reservation would have expired. After that time, a second settlement counts
    /// again.
    ///
    /// # Errors
    /// Returns an error if the store fails or does not answer, or if `used` does not have one amount for each claim.
    fn settle<'a>(&'a self, reservation: &'a Reservation, used: &'a [u64]) -> StoreFuture<'a, ()>;

    /// Returns the state of a counter. A counter that does not exist has the amounts 0.
    ///
    /// # Errors
    /// Returns an error if the store fails or does not answer.
    fn counter<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Counter>;

    /// Removes counters that nobody needs any more, for example those of a run that has ended. A counter with a reservation stays.
    ///
    /// The default removes nothing, so the counters stay until their windows end.
    ///
    /// # Errors
    /// Returns an error if the store fails or does not answer.
    fn forget<'a>(&'a self, counters: &'a [String]) -> StoreFuture<'a, ()> {
        let _ = counters;
        Box::pin(async { Ok(()) })
    }

    /// Appends an entry to a log, and removes the oldest entries so that at most `keep` entries are left. Returns the number of
    /// the new entry. The first entry has the number 0.
    ///
    /// If nobody appends to the log for the time `expires_in`, the whole log expires, and its numbers begin again at 0. With
    /// `None`, the log never expires. The store always keeps the new entry, so 0 for `keep` means 1.
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

    /// Returns the entries of a log, beginning with the oldest.
    ///
    /// # Errors
    /// Returns an error if the store fails or does not answer.
    fn entries<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Vec<LogEntry>>;
}

/// Passes each operation to the store inside.
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

    fn forget<'a>(&'a self, counters: &'a [String]) -> StoreFuture<'a, ()> {
        (**self).forget(counters)
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
