//! The states of a circuit, over time and in several processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_guards::circuit_breaker::CircuitBreakerConfig;
use exo_rails_guards::store::{GuardStore, MemoryStore, StateStore, key};
use exo_rails_guards::{CircuitBreaker, Findings, config};
use futures_util::future::join_all;
use tokio::time::advance;

#[rail(priority = 90, on = [ToolError])]
fn findings(ctx: &RailContext) {
    if let Some(Findings(found)) = ctx.extra.get() {
        let shown = found.iter().map(ToString::to_string);
        ctx.run.update(|all: &mut Vec<String>| all.extend(shown));
    }
}

rail_chain! { struct Rails { breaker: CircuitBreaker, findings } }

fn on(toml: &str, store: impl StateStore + 'static) -> Rails {
    let config: CircuitBreakerConfig = config::from_toml(toml).unwrap();
    Rails { breaker: config.build().unwrap().with_store(GuardStore::new(store)) }
}

fn rails(toml: &str) -> Rails {
    on(toml, MemoryStore::new())
}

/// Calls a tool that fails in this way, or succeeds. Returns whether it ran.
async fn call(rails: &Rails, tool: &str, fails: Option<OperationErrorKind>) -> bool {
    let ran = AtomicU32::new(0);
    let body = |_| {
        ran.fetch_add(1, Ordering::SeqCst);
        async move { fails.map_or(Ok(ToolOutput::text("done")), |kind| Err(OperationError::new(kind, "broken"))) }
    };
    let output = rails.guard_tool_call(ToolCallInputs::new(tool), &mut RunContext::new("demo"), body).await.unwrap();
    let ran = ran.into_inner() > 0;
    if !ran {
        assert_eq!(output.error_kind, Some(OperationErrorKind::Unavailable));
        assert!(output.content.contains("circuit_breaker/x: `"), "{}", output.content);
    }
    ran
}

const DOWN: Option<OperationErrorKind> = Some(OperationErrorKind::Unavailable);
const ROW: &str = "breakers = [{ name = 'x', of = 'tool_calls', failures = 3, open_ms = 1_000 }]";

#[tokio::test(start_paused = true)]
async fn failures_in_a_row_open_the_circuit_and_a_probe_closes_it() {
    let rails = rails(ROW);
    for fails in [DOWN, DOWN, None, DOWN, DOWN] {
        assert!(call(&rails, "t", fails).await);
    }
    assert!(call(&rails, "t", DOWN).await, "the third failure in a row");
    for _ in 0..3 {
        assert!(!call(&rails, "t", None).await);
    }
    // Other tools have their own circuits, and other spellings do not.
    assert!(call(&rails, "u", None).await);
    assert!(!call(&rails, "T", None).await);
    advance(Duration::from_millis(999)).await;
    assert!(!call(&rails, "t", None).await);
    advance(Duration::from_millis(1)).await;
    assert!(call(&rails, "t", DOWN).await, "a probe");
    assert!(!call(&rails, "t", None).await, "the probe has failed");
    advance(Duration::from_secs(1)).await;
    assert!(call(&rails, "t", None).await, "a probe");
    for fails in [DOWN, DOWN] {
        assert!(call(&rails, "t", fails).await, "the circuit is closed, and counts from 0");
    }
}

#[tokio::test(start_paused = true)]
async fn failures_that_say_nothing_about_the_service_do_not_count() {
    use OperationErrorKind::{Denied, InvalidRequest, NotFound};
    let store = Arc::new(MemoryStore::new());
    let rails = on(ROW, store.clone());
    for kind in [Denied, InvalidRequest, NotFound].into_iter().cycle().take(20) {
        assert!(call(&rails, "t", Some(kind)).await);
    }
    assert!(store.get(&key(["circuit_breaker", "x", "t"])).await.unwrap().is_none(), "nothing is stored");
}

#[tokio::test(start_paused = true)]
async fn old_failures_do_not_count() {
    let rails = rails("breakers = [{ name = 'x', of = 'tool_calls', failures = 3, window_ms = 1_000 }]");
    for _ in 0..10 {
        assert!(call(&rails, "t", DOWN).await);
        advance(Duration::from_millis(600)).await;
        assert!(call(&rails, "t", DOWN).await);
        advance(Duration::from_secs(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_percentage_of_failures_opens_the_circuit() {
    let toml =
        "breakers = [{ name = 'x', of = 'tool_calls', failure_percent = 50, min_calls = 10, window_ms = 10_000 }]";
    let rails = rails(toml);
    // 4 of 9 have failed, and then 5 of 10.
    for fails in [None, DOWN, None, DOWN, None, DOWN, None, DOWN, None, DOWN] {
        assert!(call(&rails, "t", fails).await);
    }
    assert!(!call(&rails, "t", None).await);
    // Fewer calls than `min_calls` in a window say nothing.
    let rails = super::circuit_breaker::rails(toml);
    for _ in 0..4 {
        for _ in 0..9 {
            assert!(call(&rails, "t", DOWN).await);
        }
        advance(Duration::from_secs(10)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn only_some_probes_run_at_once() {
    let toml = "breakers = [{ name = 'x', of = 'tool_calls', failures = 1, open_ms = 1_000, probes = 2 }]";
    let rails = rails(toml);
    assert!(call(&rails, "t", DOWN).await);
    advance(Duration::from_secs(1)).await;
    let ran = AtomicU32::new(0);
    let slow = |_| async {
        ran.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(100)).await;
        Ok::<_, OperationError>(ToolOutput::text("done"))
    };
    let call = async || {
        rails.guard_tool_call(ToolCallInputs::new("t"), &mut RunContext::new("demo"), slow).await.unwrap();
    };
    join_all((0..10).map(|_| call())).await;
    assert_eq!(ran.load(Ordering::SeqCst), 2);
    join_all((0..10).map(|_| call())).await;
    assert_eq!(ran.load(Ordering::SeqCst), 12, "both probes have succeeded");
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_is_dropped_does_not_block_the_circuit_for_ever() {
    let rails = rails("breakers = [{ name = 'x', of = 'tool_calls', failures = 1, open_ms = 1_000 }]");
    assert!(call(&rails, "t", DOWN).await);
    advance(Duration::from_secs(1)).await;
    let hangs = |_| std::future::pending::<Result<ToolOutput, OperationError>>();
    let mut ctx = RunContext::new("demo");
    let probe = rails.guard_tool_call(ToolCallInputs::new("t"), &mut ctx, hangs);
    tokio::time::timeout(Duration::from_millis(10), probe).await.unwrap_err();
    assert!(!call(&rails, "t", None).await);
    advance(Duration::from_secs(1)).await;
    assert!(call(&rails, "t", None).await);
    assert!(call(&rails, "t", None).await);
}

#[tokio::test(start_paused = true)]
async fn guards_with_one_store_share_the_circuits() {
    let store = Arc::new(MemoryStore::new());
    let (one, other) = (on(ROW, store.clone()), on(ROW, store));
    for rails in [&one, &other, &one] {
        assert!(call(rails, "t", DOWN).await);
    }
    assert!(!call(&other, "t", None).await);
}

#[tokio::test(start_paused = true)]
async fn findings_say_when_a_circuit_opens_and_what_it_refuses() {
    let rails = rails("breakers = [{ name = 'x', of = 'tool_calls', failures = 1 }]");
    let mut ctx = RunContext::new("demo");
    let down = |_| async { Err::<ToolOutput, _>(OperationError::new(OperationErrorKind::Timeout, "broken")) };
    for _ in 0..2 {
        rails.guard_tool_call(ToolCallInputs::new("t"), &mut ctx, down).await.unwrap();
    }
    let found: Vec<String> = ctx.run.get().unwrap();
    assert_eq!(
        found,
        [
            "circuit_breaker/x: `t` has failed too often: no calls for 30000 ms",
            "circuit_breaker/x: `t` has failed too often. The next call is possible in 30 s"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn models_have_circuits_by_name() {
    let rails = rails("breakers = [{ name = 'x', of = 'model_calls', failures = 1 }]");
    let down = |_| async { Err::<ModelResponse, _>(OperationError::new(OperationErrorKind::Timeout, "broken")) };
    let up = |_| async { Ok::<_, OperationError>(ModelResponse::text("hello")) };
    let request = |name: &str| ModelCallInputs { model: Some(name.to_owned()), ..ModelCallInputs::default() };
    let mut ctx = RunContext::new("demo");
    rails.guard_llm_call(request("large"), &mut ctx, down).await.unwrap_err();
    let error = rails.guard_llm_call(request("large"), &mut ctx, up).await.unwrap_err();
    assert!(error.to_string().contains("`large` has failed too often"), "{error}");
    rails.guard_llm_call(request("small"), &mut ctx, up).await.unwrap();
}

#[test]
fn configurations_that_make_no_sense_are_refused() {
    for (breaker, message) in [
        ("name = ''", "`name`: the breaker has no name: errors and the store need one"),
        (
            "name = 'x', failures = 0",
            "`failures`: the breaker never opens: write `failures = 5` or `failure_percent = 50`",
        ),
        ("name = 'x', failures = 1, failure_percent = 101", "`failure_percent`: write 0 to 100"),
        ("name = 'x', failures = 1, probes = 0", "`probes`: write at least 1"),
        ("name = 'x', failures = 1, open_ms = 0", "`open_ms`: write at least 1"),
        (
            "name = 'x', failures = 1, kinds = []",
            "`kinds`: without kinds, no failure counts: write some, such as `[\"unavailable\"]`",
        ),
    ] {
        let toml = format!("breakers = [{{ of = 'tool_calls', {breaker} }}]");
        let error = config::from_toml::<CircuitBreakerConfig>(&toml).unwrap().build().unwrap_err();
        assert_eq!(error.to_string(), format!("`breakers[0]`: {message}"), "{toml}");
    }
}
