//! A store whose keys have a prefix.

use std::time::Duration;

use crate::{
    Claim, Conflict, Counter, Expected, LogEntry, OverLimit, Record, Reservation, StateStore, StoreFuture, Version,
    Write, key,
};

/// See [`StateStoreExt::namespace`](crate::StateStoreExt::namespace).
#[derive(Debug)]
pub(crate) struct Namespace<S> {
    store: S,
    prefix: String,
}

impl<S: StateStore> Namespace<S> {
    pub(crate) fn new(store: S, name: &str) -> Self {
        // The parts of keys do not contain `:`. So no key outside of the namespace begins with the prefix.
        Self { store, prefix: key([name]) + ":" }
    }

    fn key(&self, key: &str) -> String {
        [&self.prefix, key].concat()
    }
}

impl<S: StateStore> StateStore for Namespace<S> {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Record>> {
        Box::pin(async move { self.store.get(&self.key(key)).await })
    }

    fn compare_and_set<'a>(
        &'a self,
        key: &'a str,
        expected: Expected,
        write: Write<'a>,
    ) -> StoreFuture<'a, Result<Version, Conflict>> {
        Box::pin(async move { self.store.compare_and_set(&self.key(key), expected, write).await })
    }

    fn reserve<'a>(
        &'a self,
        claims: &'a [Claim<'a>],
        hold_for: Duration,
    ) -> StoreFuture<'a, Result<Reservation, OverLimit>> {
        Box::pin(async move {
            let keys: Vec<String> = claims.iter().map(|claim| self.key(claim.key)).collect();
            let claims: Vec<Claim<'_>> = claims.iter().zip(&keys).map(|(claim, key)| Claim { key, ..*claim }).collect();
            self.store.reserve(&claims, hold_for).await
        })
    }

    // A reservation has the keys with their prefix.
    fn settle<'a>(&'a self, reservation: &'a Reservation, used: &'a [u64]) -> StoreFuture<'a, ()> {
        self.store.settle(reservation, used)
    }

    fn counter<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Counter> {
        Box::pin(async move { self.store.counter(&self.key(key)).await })
    }

    fn forget<'a>(&'a self, counters: &'a [String]) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let counters: Vec<String> = counters.iter().map(|key| self.key(key)).collect();
            self.store.forget(&counters).await
        })
    }

    fn append<'a>(
        &'a self,
        key: &'a str,
        entry: &'a [u8],
        keep: usize,
        expires_in: Option<Duration>,
    ) -> StoreFuture<'a, u64> {
        Box::pin(async move { self.store.append(&self.key(key), entry, keep, expires_in).await })
    }

    fn entries<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Vec<LogEntry>> {
        Box::pin(async move { self.store.entries(&self.key(key)).await })
    }
}
