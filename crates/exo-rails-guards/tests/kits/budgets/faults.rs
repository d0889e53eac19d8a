//! Stores that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_guards::Scope;
use exo_rails_guards::store::{
    Claim, Conflict, Counter, Expected, LogEntry, MemoryStore, OverLimit, Record, Reservation, StateStore, StoreError,
    StoreFuture, Version, Write,
};

use crate::budgets::support::{counter, model_call, on, usage};

/// A store that can be broken for a while.
#[derive(Clone, Debug)]
struct Fragile {
    store: Arc<MemoryStore>,
    is_broken: Arc<AtomicBool>,
}

impl Fragile {
    fn new() -> Self {
        Self { store: Arc::new(MemoryStore::new()), is_broken: Arc::default() }
    }

    fn set_broken(&self, is_broken: bool) {
        self.is_broken.store(is_broken, Ordering::SeqCst);
    }

    fn unless_broken<'a, T: Send + 'a>(&self, operation: StoreFuture<'a, T>) -> StoreFuture<'a, T> {
        if self.is_broken.load(Ordering::SeqCst) {
            return Box::pin(async { Err(StoreError::failed("no connection")) });
        }
        operation
    }
}

impl StateStore for Fragile {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Record>> {
        self.unless_broken(self.store.get(key))
    }

    fn compare_and_set<'a>(
        &'a self,
        key: &'a str,
        expected: Expected,
        write: Write<'a>,
    ) -> StoreFuture<'a, Result<Version, Conflict>> {
        self.unless_broken(self.store.compare_and_set(key, expected, write))
    }

    fn reserve<'a>(
        &'a self,
        claims: &'a [Claim<'a>],
        hold_for: Duration,
    ) -> StoreFuture<'a, Result<Reservation, OverLimit>> {
        self.unless_broken(self.store.reserve(claims, hold_for))
    }

    fn settle<'a>(&'a self, reservation: &'a Reservation, used: &'a [u64]) -> StoreFuture<'a, ()> {
        self.unless_broken(self.store.settle(reservation, used))
    }

    fn counter<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Counter> {
        self.unless_broken(self.store.counter(key))
    }

    fn append<'a>(
        &'a self,
        key: &'a str,
        entry: &'a [u8],
        keep: usize,
        expires_in: Option<Duration>,
    ) -> StoreFuture<'a, u64> {
        self.unless_broken(self.store.append(key, entry, keep, expires_in))
    }

    fn entries<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Vec<LogEntry>> {
        self.unless_broken(self.store.entries(key))
    }
}

const TOKENS: &str = "limits = [{ name = 'x', of = 'total_tokens', most = 1_000 }]";

#[tokio::test]
async fn a_store_that_fails_before_a_call_ends_the_run() {
    let store = Fragile::new();
    store.set_broken(true);
    let rails = on(TOKENS, store);
    let model = async |_| -> Result<ModelResponse, OperationError> { panic!("the model was called") };
    let error =
        rails.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("demo"), model).await.unwrap_err();
    assert!(matches!(error, RunError::Fault(_)), "{error}");
}

#[tokio::test]
async fn usage_that_the_store_could_not_count_is_counted_before_the_next_call() {
    let store = Fragile::new();
    let rails = on(TOKENS, store.clone());
    let mut ctx = RunContext::new("demo").with_run_id("r");
    let model = |_| async {
        store.set_broken(true);
        Ok::<_, OperationError>(ModelResponse { usage: Some(usage(990, 10)), ..ModelResponse::text("hello") })
    };
    // A rail after the call cannot end the run.
    rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await.unwrap();
    let error = model_call(&rails, &mut ctx, None).await.unwrap_err();
    assert!(matches!(error, RunError::Fault(_)), "{error}");
    store.set_broken(false);
    let error = model_call(&rails, &mut ctx, None).await.unwrap_err().to_string();
    assert!(error.contains("has no room: 1000 are used"), "{error}");
    let counter = counter(&store.store, "x", "total_tokens", Scope::Run, "r").await;
    assert_eq!((counter.used, counter.reserved), (1_000, 0));
}
