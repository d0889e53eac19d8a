//! A store with a time limit.

use std::time::Duration;

use crate::{
    Claim, Conflict, Counter, Expected, LogEntry, OverLimit, Record, Reservation, StateStore, StoreError, StoreFuture,
    Version, Write,
};

/// The usual time limit for one operation: 5 seconds.
pub const TIME_LIMIT: Duration = Duration::from_secs(5);

/// See [`StateStoreExt::within`](crate::StateStoreExt::within).
#[derive(Debug)]
pub(crate) struct Within<S> {
    pub(crate) store: S,
    pub(crate) limit: Duration,
}

impl<S: StateStore> Within<S> {
    fn limited<'a, T: 'a>(&self, operation: StoreFuture<'a, T>) -> StoreFuture<'a, T> {
        let limit = self.limit;
        Box::pin(
            async move { tokio::time::timeout(limit, operation).await.unwrap_or(Err(StoreError::Timeout { limit })) },
        )
    }
}

impl<S: StateStore> StateStore for Within<S> {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Record>> {
        self.limited(self.store.get(key))
    }

    fn compare_and_set<'a>(
        &'a self,
        key: &'a str,
        expected: Expected,
        write: Write<'a>,
    ) -> StoreFuture<'a, Result<Version, Conflict>> {
        self.limited(self.store.compare_and_set(key, expected, write))
    }

    fn reserve<'a>(
        &'a self,
        claims: &'a [Claim<'a>],
        hold_for: Duration,
    ) -> StoreFuture<'a, Result<Reservation, OverLimit>> {
        self.limited(self.store.reserve(claims, hold_for))
    }

    fn settle<'a>(&'a self, reservation: &'a Reservation, used: &'a [u64]) -> StoreFuture<'a, ()> {
        self.limited(self.store.settle(reservation, used))
    }

    fn counter<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Counter> {
        self.limited(self.store.counter(key))
    }

    fn forget<'a>(&'a self, counters: &'a [String]) -> StoreFuture<'a, ()> {
        self.limited(self.store.forget(counters))
    }

    fn append<'a>(
        &'a self,
        key: &'a str,
        entry: &'a [u8],
        keep: usize,
        expires_in: Option<Duration>,
    ) -> StoreFuture<'a, u64> {
        self.limited(self.store.append(key, entry, keep, expires_in))
    }

    fn entries<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Vec<LogEntry>> {
        self.limited(self.store.entries(key))
    }
}
