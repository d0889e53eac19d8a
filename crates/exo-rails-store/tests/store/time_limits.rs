//! The time limit of a store that does not answer.

use std::time::Duration;

use exo_rails_store::{
    Claim, Conflict, Counter, Expected, LogEntry, OverLimit, Record, Reservation, StateStore, StateStoreExt,
    StoreError, StoreFuture, TIME_LIMIT, Version, Write,
};

/// A store that never answers.
#[derive(Debug)]
struct Hangs;

impl Hangs {
    fn answer<'a, T: Send + 'a>() -> StoreFuture<'a, T> {
        Box::pin(async { std::future::pending().await })
    }
}

impl StateStore for Hangs {
    fn get<'a>(&'a self, _: &'a str) -> StoreFuture<'a, Option<Record>> {
        Self::answer()
    }

    fn compare_and_set<'a>(
        &'a self,
        _: &'a str,
        _: Expected,
        _: Write<'a>,
    ) -> StoreFuture<'a, Result<Version, Conflict>> {
        Self::answer()
    }

    fn reserve<'a>(&'a self, _: &'a [Claim<'a>], _: Duration) -> StoreFuture<'a, Result<Reservation, OverLimit>> {
        Self::answer()
    }

    fn settle<'a>(&'a self, _: &'a Reservation, _: &'a [u64]) -> StoreFuture<'a, ()> {
        Self::answer()
    }

    fn counter<'a>(&'a self, _: &'a str) -> StoreFuture<'a, Counter> {
        Self::answer()
    }

    fn append<'a>(&'a self, _: &'a str, _: &'a [u8], _: usize, _: Option<Duration>) -> StoreFuture<'a, u64> {
        Self::answer()
    }

    fn entries<'a>(&'a self, _: &'a str) -> StoreFuture<'a, Vec<LogEntry>> {
        Self::answer()
    }
}

#[tokio::test(start_paused = true)]
async fn each_operation_has_the_time_limit() {
    let store = Hangs.namespace("n").within(TIME_LIMIT);
    let reservation = Reservation { id: String::new(), claims: Vec::new(), expires_at: 0 };
    let errors = [
        store.get("").await.err(),
        store.compare_and_set("", Expected::Any, Write::Remove).await.err(),
        store.reserve(&[], TIME_LIMIT).await.err(),
        store.settle(&reservation, &[]).await.err(),
        store.counter("").await.err(),
        store.append("", &[], 1, None).await.err(),
        store.entries("").await.err(),
        store.read::<()>("").await.err(),
        store.write("", &(), None).await.err(),
        store.remove("").await.err(),
        store.give_back(&reservation).await.err(),
    ];
    for error in errors {
        assert!(matches!(error, Some(StoreError::Timeout { limit: TIME_LIMIT })), "{error:?}");
    }
}
