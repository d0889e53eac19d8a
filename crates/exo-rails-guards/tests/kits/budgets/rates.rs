//! Rate limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_guards::rate_limits::{RateLimits, RateLimitsConfig};
use exo_rails_guards::store::{GuardStore, MemoryStore, StateStore};
use exo_rails_guards::{Kit, config};
use tokio::time::Instant;

rail_chain! {
    struct Rated { rate_limits: RateLimits }
}

fn rails(toml: &str, store: impl StateStore + 'static) -> Rated {
    let config: RateLimitsConfig = config::from_toml(toml).unwrap();
    Rated { rate_limits: config.build().unwrap().with_store(GuardStore::new(store)) }
}

async fn call(rails: &impl GuardSet, tool: &str) -> String {
    let body = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
    let mut ctx = RunContext::new("demo").with_run_id("r");
    rails.guard_tool_call(ToolCallInputs::new(tool), &mut ctx, body).await.unwrap().content
}

#[tokio::test(start_paused = true)]
async fn calls_after_a_burst_follow_the_rate() {
    let rails = rails(
        "limits = [{ name = 'x', of = 'tool_calls', calls = 4, every = 'second', burst = 2, tools = 'search' }]",
        MemoryStore::new(),
    );
    for (at, runs) in [
        (0, true),
        (0, true),
        (0, false),
        (249, false),
        (250, true),
        (250, false),
        (500, true),
        (9_000, true),
        (9_000, true),
        (9_000, false),
    ] {
        let now = Duration::from_millis(at);
        tokio::time::advance(now.saturating_sub(started().elapsed())).await;
        let output = call(&rails, "search").await;
        assert_eq!(output == "done", runs, "at {at} ms: {output}");
        assert_eq!(call(&rails, "other").await, "done");
    }
}

/// The start of the test: the first call in its thread.
fn started() -> Instant {
    thread_local!(static STARTED: Instant = Instant::now());
    STARTED.with(|started| *started)
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_up_to_its_bound() {
    let rails = rails(
        "limits = [{ name = 'x', of = 'tool_calls', calls = 1, every = 'second', max_wait_ms = 1_500 }]",
        MemoryStore::new(),
    );
    let begin = Instant::now();
    assert_eq!(call(&rails, "search").await, "done");
    assert_eq!(call(&rails, "search").await, "done");
    assert_eq!(begin.elapsed().as_millis(), 1_000);
    let (one, other) = tokio::join!(call(&rails, "search"), call(&rails, "search"));
    // The second one would have to wait for two seconds.
    assert_eq!(one, "done");
    assert!(
        other.contains(
            "rate_limits/x: at most 1 tool calls per second and run are allowed. The next one is possible in 2 s"
        ),
        "{other}"
    );
    assert_eq!(begin.elapsed().as_millis(), 2_000);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_takes_no_place_in_other_limits() {
    let rails = rails(
        "limits = [
            { name = 'wide', of = 'tool_calls', calls = 2, every = 'day' },
            { name = 'narrow', of = 'tool_calls', calls = 1, every = 'day', tools = 'search' },
        ]",
        MemoryStore::new(),
    );
    assert_eq!(call(&rails, "search").await, "done");
    for _ in 0..5 {
        assert!(call(&rails, "search").await.contains("rate_limits/narrow"));
    }
    assert_eq!(call(&rails, "other").await, "done");
    assert!(call(&rails, "other").await.contains("rate_limits/wide"));
}

#[tokio::test(start_paused = true)]
async fn a_model_call_that_comes_too_early_ends_the_run() {
    let rails = rails(
        "limits = [{ name = 'x', of = 'model_calls', calls = 1, every = 'hour', per = 'agent' }]",
        MemoryStore::new(),
    );
    let model = |_| async { Ok::<_, OperationError>(ModelResponse::text("hello")) };
    rails.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("a"), model).await.unwrap();
    rails.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("b"), model).await.unwrap();
    let error = rails.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("a"), model).await.unwrap_err();
    assert!(
        matches!(&error, RunError::Abort(abort) if abort.reason.to_string().starts_with("rate_limits/x: ")),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_in_shadow_does_not_wait() {
    let rails = rails(
        "limits = [{ name = 'x', of = 'tool_calls', calls = 1, every = 'hour', max_wait_ms = 9_000_000 }]",
        MemoryStore::new(),
    );
    let (shadow, begin) = (rails.shadow(), Instant::now());
    for _ in 0..3 {
        assert_eq!(call(&shadow, "search").await, "done");
    }
    assert!(begin.elapsed().is_zero());
}

fn calls_at_once<S: StateStore + Clone + 'static>(store: &S) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let passed = Arc::new(AtomicU64::new(0));
        let tasks = (0..16).map(|_| {
            // Each task has a guard of its own, like a process.
            let rails = rails("limits = [{ name = 'x', of = 'tool_calls', calls = 20, every = 'day' }]", store.clone());
            let passed = passed.clone();
            tokio::spawn(async move {
                for _ in 0..5 {
                    if call(&rails, "search").await == "done" {
                        passed.fetch_add(1, Ordering::SeqCst);
                    }
                }
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await.unwrap();
        }
        assert_eq!(passed.load(Ordering::SeqCst), 20);
    });
}

#[test]
fn guards_that_share_a_store_share_the_limit() {
    calls_at_once(&Arc::new(MemoryStore::new()));
    #[cfg(feature = "file-store")]
    {
        let directory = tempfile::tempdir().unwrap();
        calls_at_once(&Arc::new(exo_rails_guards::store::FileStore::open(directory.path().join("state.db")).unwrap()));
    }
}

#[tokio::test]
async fn a_kit_that_replaces_another_keeps_the_counts() {
    let builder = Kit::builder().store(MemoryStore::new());
    let toml = "
        [[rate_limits]]
        limits = [{ name = 'rate', of = 'tool_calls', calls = 2, every = 'day' }]
        [budgets]
        limits = [{ name = 'budget', of = 'tool_calls', most = 1 }]
    ";
    assert_eq!(call(&builder.from_toml(toml).unwrap(), "search").await, "done");
    let kit = builder.from_toml(toml).unwrap();
    assert!(call(&kit, "search").await.contains("budgets/budget"));
    assert!(call(&kit, "search").await.contains("rate_limits/rate"));
}
