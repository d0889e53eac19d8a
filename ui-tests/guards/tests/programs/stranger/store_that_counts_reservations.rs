//! What it shows: an own `StateStore` that wraps any other store, as the store of a kit from a file.
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_guards::Kit;
use exo_rails_guards::store::{
    Claim, Conflict, Counter, Expected, LogEntry, MemoryStore, OverLimit, Record, Reservation, StateStore, StoreError,
    StoreFuture, Version, Write,
};

#[derive(Debug)]
struct Watched<S> {
    inner: S,
    reservations: AtomicU32,
    most: u32,
}

impl<S: StateStore> StateStore for Watched<S> {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Record>> {
        self.inner.get(key)
    }

    fn compare_and_set<'a>(
        &'a self,
        key: &'a str,
        expected: Expected,
        write: Write<'a>,
    ) -> StoreFuture<'a, Result<Version, Conflict>> {
        self.inner.compare_and_set(key, expected, write)
    }

    fn reserve<'a>(&'a self, claims: &'a [Claim<'a>], hold_for: Duration) -> StoreFuture<'a, Result<Reservation, OverLimit>> {
        Box::pin(async move {
            if self.reservations.fetch_add(1, Ordering::Relaxed) >= self.most {
                return Err(StoreError::failed("the store is tired"));
            }
            self.inner.reserve(claims, hold_for).await
        })
    }

    fn settle<'a>(&'a self, reservation: &'a Reservation, used: &'a [u64]) -> StoreFuture<'a, ()> {
        self.inner.settle(reservation, used)
    }

    fn counter<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Counter> {
        self.inner.counter(key)
    }

    fn append<'a>(&'a self, key: &'a str, entry: &'a [u8], keep: usize, expires_in: Option<Duration>) -> StoreFuture<'a, u64> {
        self.inner.append(key, entry, keep, expires_in)
    }

    fn entries<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Vec<LogEntry>> {
        self.inner.entries(key)
    }
}

const POLICY: &str = "
[budgets]
limits = [{ name = 'fetches', of = 'tool_calls', most = 10, per = 'global' }]
";

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = Arc::new(Watched { inner: MemoryStore::new(), reservations: AtomicU32::new(0), most: 2 });
    let kit = Kit::builder().store(Arc::clone(&store)).from_toml(POLICY)?;
    let fetch = |_| async { Ok::<_, OperationError>(ToolOutput::text("a page")) };
    let mut ctx = RunContext::new("crawler");
    for _ in 0..2 {
        assert_eq!(kit.guard_tool_call(ToolCallInputs::new("fetch"), &mut ctx, fetch).await?.content, "a page");
    }
    let error = kit.guard_tool_call(ToolCallInputs::new("fetch"), &mut ctx, fetch).await.unwrap_err();
    assert!(matches!(error, RunError::Fault(_)));
    assert_eq!(store.reservations.load(Ordering::Relaxed), 3);
    Ok(())
}
