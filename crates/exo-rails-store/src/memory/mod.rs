//! The store for one process.

mod bounds;
mod state;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::{
    Claim, Conflict, Counter, Expected, LogEntry, OverLimit, Record, Reservation, StateStore, StoreError, StoreFuture,
    Version, Write,
};
use state::State;

/// A [`StateStore`] in the memory of the process. Its state is lost when the process ends.
///
/// The size of the store is bounded. Each operation first removes everything that has expired. If the store is still full, the
/// operation fails with [`StoreError::Full`]. The store never removes state that has not expired, so a full store does not
/// reset a budget. Write records with an expiry if they are not needed forever.
///
/// An operation never waits for I/O. The store uses the clock of tokio, so tests can pause it and move it forward:
///
/// ```
/// use std::time::Duration;
/// use exo_rails_store::{MemoryStore, StateStoreExt, StoreError};
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), StoreError> {
/// let store = MemoryStore::new().max_items(1_000).max_bytes(1 << 20);
/// store.write("answer", &42, Some(Duration::from_mins(1))).await?;
/// assert_eq!(store.read("answer").await?, Some(42));
///
/// tokio::time::advance(Duration::from_mins(1)).await;
/// assert_eq!(store.read::<i32>("answer").await?, None);
/// # Ok(())
/// # }
/// ```
pub struct MemoryStore {
    started: Instant,
    state: Mutex<State>,
}

impl MemoryStore {
    /// Makes an empty store with the default bounds: 100,000 items and 64 MiB.
    #[must_use]
    pub fn new() -> Self {
        Self { started: Instant::now(), state: Mutex::default() }
    }

    /// Sets the largest number of items. Records, counters, reserved amounts and entries of logs are items.
    #[must_use]
    pub fn max_items(self, items: usize) -> Self {
        self.lock().bounds.max_items = items;
        self
    }

    /// Sets the largest size in bytes. The size is the sum of all keys and values, plus 128 bytes for each item.
    #[must_use]
    pub fn max_bytes(self, bytes: usize) -> Self {
        self.lock().bounds.max_bytes = bytes;
        self
    }

    /// Removes everything that has expired, and then performs the operation.
    fn perform<'a, T: Send + 'a>(
        &'a self,
        operation: impl FnOnce(&mut State, u64) -> Result<T, StoreError> + Send + 'a,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move {
            let mut state = self.lock();
            let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
            state.expire(now);
            operation(&mut state, now)
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

impl StateStore for MemoryStore {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Record>> {
        self.perform(move |state, now| Ok(state.record(key, now)))
    }

    fn compare_and_set<'a>(
        &'a self,
        key: &'a str,
        expected: Expected,
        write: Write<'a>,
    ) -> StoreFuture<'a, Result<Version, Conflict>> {
        self.perform(move |state, now| state.compare_and_set(key, expected, write, now))
    }

    fn reserve<'a>(
        &'a self,
        claims: &'a [Claim<'a>],
        hold_for: Duration,
    ) -> StoreFuture<'a, Result<Reservation, OverLimit>> {
        self.perform(move |state, now| state.reserve(claims, hold_for, now))
    }

    fn settle<'a>(&'a self, reservation: &'a Reservation, used: &'a [u64]) -> StoreFuture<'a, ()> {
        self.perform(move |state, now| {
            reservation.check(used)?;
            state.settle(reservation, used, now);
            Ok(())
        })
    }

    fn counter<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Counter> {
        self.perform(move |state, now| Ok(state.counter(key, now)))
    }

    fn forget<'a>(&'a self, counters: &'a [String]) -> StoreFuture<'a, ()> {
        self.perform(move |state, _| {
            for key in counters {
                state.forget(key);
            }
            Ok(())
        })
    }

    fn append<'a>(
        &'a self,
        key: &'a str,
        entry: &'a [u8],
        keep: usize,
        expires_in: Option<Duration>,
    ) -> StoreFuture<'a, u64> {
        self.perform(move |state, now| state.append(key, entry, keep, expires_in, now))
    }

    fn entries<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Vec<LogEntry>> {
        self.perform(move |state, now| Ok(state.entries(key, now)))
    }
}
