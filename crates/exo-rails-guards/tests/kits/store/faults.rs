//! A store that fails or hangs is a fault of the guard, and the call does not run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use exo_rails::Permit;
use exo_rails::prelude::*;
use exo_rails_guards::store::{
    Claim, Conflict, Counter, Expected, LogEntry, MemoryStore, OverLimit, Record, Reservation, StateStore,
    StateStoreExt, StoreError, StoreFuture, TIME_LIMIT, Version, Write,
};

/// A guard as small as can be: a tool may be called twice.
struct CallLimit {
    store: Arc<dyn StateStore>,
}

#[rail(priority = 20)]
impl CallLimit {
    #[on(PreToolCall)]
    async fn count(&self, call: &ToolCallInputs) -> Result<RailAction, StoreError> {
        let claim = Claim { key: &call.tool_name, amount: 1, limit: 2, window: None };
        Ok(match self.store.reserve(&[claim], Duration::from_mins(1)).await? {
            Ok(_) => RailAction::Continue,
            Err(_) => RailAction::skip("the tool was called twice"),
        })
    }
}

rail_chain! {
    struct Rails { call_limit: CallLimit }
}

/// A store that does not work.
#[derive(Debug)]
enum Broken {
    Fails,
    Hangs,
}

impl Broken {
    fn answer<T: Send>(&self) -> StoreFuture<'_, T> {
        Box::pin(async move {
            match self {
                Self::Fails => Err(StoreError::failed("no connection")),
                Self::Hangs => std::future::pending().await,
            }
        })
    }
}

impl StateStore for Broken {
    fn get<'a>(&'a self, _: &'a str) -> StoreFuture<'a, Option<Record>> {
        self.answer()
    }

    fn compare_and_set<'a>(
        &'a self,
        _: &'a str,
        _: Expected,
        _: Write<'a>,
    ) -> StoreFuture<'a, Result<Version, Conflict>> {
        self.answer()
    }

    fn reserve<'a>(&'a self, _: &'a [Claim<'a>], _: Duration) -> StoreFuture<'a, Result<Reservation, OverLimit>> {
        self.answer()
    }

    fn settle<'a>(&'a self, _: &'a Reservation, _: &'a [u64]) -> StoreFuture<'a, ()> {
        self.answer()
    }

    fn counter<'a>(&'a self, _: &'a str) -> StoreFuture<'a, Counter> {
        self.answer()
    }

    fn append<'a>(&'a self, _: &'a str, _: &'a [u8], _: usize, _: Option<Duration>) -> StoreFuture<'a, u64> {
        self.answer()
    }

    fn entries<'a>(&'a self, _: &'a str) -> StoreFuture<'a, Vec<LogEntry>> {
        self.answer()
    }
}

/// Calls a tool four times. Returns how often it ran, and the errors.
async fn call_tool(store: Arc<dyn StateStore>) -> (u32, Vec<String>) {
    let rails = Rails { call_limit: CallLimit { store } };
    let mut ctx = RunContext::new("store");
    let ran = AtomicU32::new(0);
    let mut errors = Vec::new();
    for _ in 0..4 {
        let tool = async |_: Permit<ToolCallInputs>| {
            ran.fetch_add(1, Ordering::SeqCst);
            Ok::<_, OperationError>(ToolOutput::text("done"))
        };
        let result = rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await;
        errors.extend(result.err().map(|error| error.to_string()));
    }
    (ran.into_inner(), errors)
}

#[tokio::test]
async fn a_store_that_works_limits_the_calls() {
    assert_eq!(call_tool(Arc::new(MemoryStore::new())).await, (2, Vec::new()));
}

#[tokio::test]
async fn a_store_that_fails_is_a_fault() {
    let (ran, errors) = call_tool(Arc::new(Broken::Fails)).await;
    assert_eq!((ran, errors.len()), (0, 4));
    let fault = "rail `CallLimit` faulted at pre_tool_call: the state store failed: no connection";
    assert_eq!(errors[0], fault);
}

#[tokio::test]
async fn a_full_store_is_a_fault() {
    let (ran, errors) = call_tool(Arc::new(MemoryStore::new().max_items(0))).await;
    assert_eq!((ran, errors.len()), (0, 4));
    assert!(errors[0].ends_with("the state store is full: it may have 0 items: raise `MemoryStore::max_items`"));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_is_a_fault_at_the_time_limit() {
    let (ran, errors) = call_tool(Broken::Hangs.within(TIME_LIMIT)).await;
    assert_eq!((ran, errors.len()), (0, 4));
    assert!(errors[0].ends_with("the state store did not answer within 5s"), "{}", errors[0]);
}
