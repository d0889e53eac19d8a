//! Limits of calls at once, and of their time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use exo_rails::OperationErrorKind;
use exo_rails::prelude::*;
use exo_rails_guards::store::{Claim, GuardStore, MemoryStore, StateStore, key};
use exo_rails_guards::{Concurrency, Findings, Timeouts, config};
use futures_util::future::join_all;
use tokio::time::Instant;

rail_chain! {
    struct Around { concurrency: Concurrency, timeouts: Timeouts }
}

fn rails(concurrency: &str, timeouts: &str) -> Around {
    Around {
        concurrency: Concurrency::new(config::from_toml(concurrency).unwrap()).unwrap(),
        timeouts: Timeouts::new(config::from_toml(timeouts).unwrap()).unwrap(),
    }
}

/// Makes calls at once, each of which takes 100 ms. Returns how many ran at once at most, and their outputs.
async fn calls(rails: &Around, tool: &str, number: usize) -> (u32, Vec<ToolOutput>) {
    let (running, most) = (AtomicU32::new(0), AtomicU32::new(0));
    let body = |_| async {
        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(100)).await;
        running.fetch_sub(1, Ordering::SeqCst);
        Ok::<_, OperationError>(ToolOutput::text("done"))
    };
    let call = async || {
        let mut ctx = RunContext::new("demo");
        rails.guard_tool_call(ToolCallInputs::new(tool), &mut ctx, body).await.unwrap()
    };
    let outputs = join_all((0..number).map(|_| call())).await;
    (most.into_inner(), outputs)
}

#[tokio::test(start_paused = true)]
async fn calls_over_the_concurrency_limit_wait() {
    let limits = "limits = [
        { name = 'all', of = 'tool_calls', most = 3 },
        { name = 'build', of = 'tool_calls', most = 1, tools = 'build' },
    ]";
    for (tool, most, millis) in [("search", 3, 300), ("build", 1, 800)] {
        // The time in the queue does not count for the time limit.
        let rails = rails(limits, "limits = [{ name = 'x', of = 'tool_calls', limit_ms = 101 }]");
        let begin = Instant::now();
        let (at_once, outputs) = calls(&rails, tool, 8).await;
        assert!(outputs.iter().all(|output| output.content == "done"), "{outputs:?}");
        assert_eq!((at_once, begin.elapsed().as_millis()), (most, millis), "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_in_the_queue_is_bounded() {
    let rails = rails("limits = [{ name = 'x', of = 'tool_calls', most = 1, max_wait_ms = 150 }]", "");
    let (_, outputs) = calls(&rails, "search", 4).await;
    let failed: Vec<_> = outputs.iter().filter(|output| output.error_kind.is_some()).collect();
    assert_eq!(failed.len(), 2);
    for output in failed {
        assert_eq!(output.error_kind, Some(OperationErrorKind::RateLimited));
        assert!(
            output.content.contains("concurrency/x: 1 tool calls are running, and no place was free within 150 ms")
        );
    }
    // All places are free again.
    assert_eq!(calls(&rails, "search", 1).await.1[0].content, "done");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_frees_its_place() {
    let rails = rails("limits = [{ name = 'x', of = 'model_calls', most = 1, max_wait_ms = 0 }]", "");
    let mut ctx = RunContext::new("demo");
    let hangs = |_| std::future::pending::<Result<ModelResponse, OperationError>>();
    let call = rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, hangs);
    tokio::time::timeout(Duration::from_millis(1), call).await.unwrap_err();
    let model = |_| async { Ok::<_, OperationError>(ModelResponse::text("hello")) };
    rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_first_time_limit_that_counts_a_call_applies() {
    let limits = "limits = [
        { name = 'slow', of = 'tool_calls', tools = ['build', 'test_*'], limit_ms = 101 },
        { name = 'tools', of = 'tool_calls', limit_ms = 99 },
        { name = 'models', of = 'model_calls', limit_ms = 50 },
    ]";
    let rails = rails("", limits);
    for (tool, runs) in [("build", true), ("Test_all", true), ("search", false)] {
        let (_, outputs) = calls(&rails, tool, 1).await;
        assert_eq!(outputs[0].error_kind.is_none(), runs, "{tool}");
        if !runs {
            assert_eq!(outputs[0].error_kind, Some(OperationErrorKind::Timeout));
            assert!(outputs[0].content.contains("timeouts/tools: the call has taken more than 99 ms"));
        }
    }
    let hangs = |_| std::future::pending::<Result<ModelResponse, OperationError>>();
    let error =
        rails.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("demo"), hangs).await.unwrap_err();
    assert!(error.to_string().contains("timeouts/models"), "{error}");
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    for (toml, message) in [
        (
            "limits = [{ name = '', of = 'tool_calls', most = 1 }]",
            "`limits[0]`: `name`: the limit has no name: errors need one",
        ),
        (
            "limits = [{ name = 'x', of = 'tool_calls', most = 0 }]",
            "`limits[0]`: `most`: 0 would refuse every call: write at least 1",
        ),
        (
            "limits = [{ name = 'x', of = 'model_calls', most = 1, tools = 'x' }]",
            "`limits[0]`: `tools`: `model_calls` does not count tool calls: remove `tools`, or write `of = \"tool_calls\"`",
        ),
    ] {
        assert_eq!(Concurrency::new(config::from_toml(toml).unwrap()).unwrap_err().to_string(), message);
    }
    let none = "limits = [{ name = 'x', of = 'tool_calls', limit_ms = 0 }]";
    let error = Timeouts::new(config::from_toml(none).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "`limits[0]`: `limit_ms`: 0 would end every call: write at least 1");
}

/// Rails with these limits on a store that others share.
fn shared(store: &Arc<MemoryStore>, limits: &str) -> Around {
    let rails = rails(limits, "");
    Around { concurrency: rails.concurrency.with_store(GuardStore::new(Arc::clone(store))), ..rails }
}

#[tokio::test(start_paused = true)]
async fn processes_with_one_store_share_a_limit() {
    let store = Arc::new(MemoryStore::new());
    let limits = "limits = [{ name = 'x', of = 'tool_calls', most = 2, lease_ms = 5_000, max_wait_ms = 1_000 }]";
    let (one, other) = (shared(&store, limits), shared(&store, limits));
    let begin = Instant::now();
    let ((_, outputs), (_, others)) = tokio::join!(calls(&one, "t", 3), calls(&other, "t", 3));
    assert!(outputs.iter().chain(&others).all(|output| output.content == "done"));
    // Six calls of 100 ms, two at once, and a wait of at most 50 ms for each place.
    assert!((300..=500).contains(&begin.elapsed().as_millis()), "{:?}", begin.elapsed());

    let no_wait = limits.replace("max_wait_ms = 1_000", "max_wait_ms = 0");
    let (one, other) = (shared(&store, &no_wait), shared(&store, &no_wait));
    let ((_, outputs), (_, others)) = tokio::join!(calls(&one, "t", 2), calls(&other, "t", 2));
    let refused = outputs.iter().chain(&others).filter(|output| output.error_kind.is_some()).count();
    assert_eq!(refused, 2);
}

#[tokio::test(start_paused = true)]
async fn the_place_of_a_process_that_died_is_free_when_its_lease_ends() {
    let store = Arc::new(MemoryStore::new());
    let limits = "limits = [{ name = 'x', of = 'tool_calls', most = 1, lease_ms = 5_000, max_wait_ms = 0 }]";
    let claim = Claim { key: &key(["concurrency", "x"]), amount: 1, limit: 1, window: None };
    store.reserve(&[claim], Duration::from_secs(5)).await.unwrap().unwrap();
    let rails = shared(&store, limits);
    assert!(calls(&rails, "t", 1).await.1[0].error_kind.is_some());
    tokio::time::advance(Duration::from_secs(5)).await;
    assert_eq!(calls(&rails, "t", 1).await.1[0].content, "done");

    // A call that is dropped frees its place at once.
    let hangs = |_| std::future::pending::<Result<ToolOutput, OperationError>>();
    let mut ctx = RunContext::new("demo");
    let call = rails.guard_tool_call(ToolCallInputs::new("t"), &mut ctx, hangs);
    tokio::time::timeout(Duration::from_millis(1), call).await.unwrap_err();
    assert_eq!(calls(&rails, "t", 1).await.1[0].content, "done");
}

#[rail(priority = 90, on = [LlmError, ToolError])]
fn findings(ctx: &RailContext) {
    if let Some(Findings(found)) = ctx.extra.get() {
        let shown = found.iter().map(ToString::to_string);
        ctx.run.update(|all: &mut Vec<String>| all.extend(shown));
    }
}

rail_chain! { struct Watched { concurrency: Concurrency, timeouts: Timeouts, findings } }

#[tokio::test(start_paused = true)]
async fn refusals_are_findings() {
    let Around { concurrency, timeouts } = rails(
        "limits = [{ name = 'x', of = 'tool_calls', most = 1, tools = 'outer', max_wait_ms = 0 }]",
        "limits = [{ name = 'y', of = 'tool_calls', tools = 'slow', limit_ms = 10 }]",
    );
    let rails = Watched { concurrency, timeouts };
    let mut ctx = RunContext::new("demo");
    let hangs = |_| std::future::pending::<Result<ToolOutput, OperationError>>();
    rails.guard_tool_call(ToolCallInputs::new("slow"), &mut ctx, hangs).await.unwrap();
    let outer = |permit: exo_rails::Permit<ToolCallInputs>| {
        let (rails, mut ctx) = (&rails, permit.context());
        async move {
            let inner = rails.guard_tool_call(ToolCallInputs::new("outer"), &mut ctx, hangs).await;
            drop(permit);
            inner.map_err(|error| OperationError::from(error.to_string()))
        }
    };
    rails.guard_tool_call(ToolCallInputs::new("outer"), &mut ctx, outer).await.unwrap();
    let found: Vec<String> = ctx.run.get().unwrap();
    assert_eq!(
        found,
        [
            "timeouts/y: the call has taken more than 10 ms",
            "concurrency/x: 1 tool calls are running, and no place was free within 0 ms: call later"
        ]
    );
}
