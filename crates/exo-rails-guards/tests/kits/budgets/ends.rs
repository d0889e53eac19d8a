//! Calls that end in unusual ways: failures, retries, skips, drops, streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use exo_rails::message::Usage;
use exo_rails::prelude::*;
use exo_rails::{ModelDelta, RetryRequest, StreamPiece};
use exo_rails_guards::budgets::Budgets;
use exo_rails_guards::store::{GuardStore, MemoryStore};
use exo_rails_guards::{Findings, Scope};
use futures_util::{StreamExt, stream};

use crate::budgets::support::{Rails, answer, budgets, counter, model_call, rails, request, tool_call, usage};

const TOKENS_AND_CALLS: &str = "limits = [
    { name = 'tokens', of = 'total_tokens', most = 10_000 },
    { name = 'calls', of = 'model_calls', most = 10 },
]";

/// Returns the used tokens and calls of the run `r`. Nothing may be reserved any more.
async fn used(store: &Arc<MemoryStore>) -> (u64, u64) {
    let tokens = counter(store, "tokens", "total_tokens", Scope::Run, "r").await;
    let calls = counter(store, "calls", "model_calls", Scope::Run, "r").await;
    assert_eq!((tokens.reserved, calls.reserved), (0, 0));
    (tokens.used, calls.used)
}

fn run() -> RunContext {
    RunContext::new("demo").with_run_id("r")
}

/// A request of 7 tokens with an answer of at most 93.
fn hundred() -> ModelCallInputs {
    request(9, Some(93))
}

#[tokio::test]
async fn an_answer_without_usage_counts_its_estimate() {
    for (policy, tokens) in [("", 100), ("without_usage = 'estimate'\n", 100), ("without_usage = 'nothing'\n", 0)] {
        for reported in [None, Some(Usage::default())] {
            let (rails, store) = rails(&format!("{policy}{TOKENS_AND_CALLS}"));
            let model = |_| async { Ok::<_, OperationError>(answer(reported.clone())) };
            rails.guard_llm_call(hundred(), &mut run(), model).await.unwrap();
            assert_eq!(used(&store).await, (tokens, 1), "{policy}");
        }
    }
}

#[tokio::test]
async fn usage_over_the_estimate_counts_in_full() {
    let (rails, store) = rails(TOKENS_AND_CALLS);
    let mut ctx = run();
    let model = |_| async { Ok::<_, OperationError>(answer(Some(usage(9_000, 2_000)))) };
    rails.guard_llm_call(hundred(), &mut ctx, model).await.unwrap();
    assert_eq!(used(&store).await, (11_000, 1));
    assert!(model_call(&rails, &mut ctx, None).await.is_err());
}

#[tokio::test]
async fn a_failed_call_counts_no_tokens_unless_the_configuration_says_so() {
    for (policy, tokens) in [("", 0), ("interrupted = 'estimate'\n", 100)] {
        let (rails, store) = rails(&format!("{policy}{TOKENS_AND_CALLS}"));
        let model = |_| async { Err::<ModelResponse, _>(OperationError::from("down")) };
        rails.guard_llm_call(hundred(), &mut run(), model).await.unwrap_err();
        assert_eq!(used(&store).await, (tokens, 1), "{policy}");
    }
}

#[tokio::test]
async fn the_usage_at_the_end_of_a_stream_counts() {
    let (rails, store) = rails(TOKENS_AND_CALLS);
    let model = |_| {
        let end = ModelDelta::Usage(usage(30, 20));
        stream::iter([ModelDelta::Text("he".into()), ModelDelta::Text("llo".into()), end].map(Ok::<_, OperationError>))
    };
    rails.guard_stream(hundred(), &mut run(), model, |_| async {}).await.unwrap();
    assert_eq!(used(&store).await, (50, 1));
}

#[tokio::test]
async fn the_usage_that_a_broken_stream_reported_counts() {
    let (rails, store) = rails(TOKENS_AND_CALLS);
    let mut ctx = run();
    model_call(&rails, &mut ctx, Some(usage(1, 1))).await.unwrap();
    let model = |_| {
        stream::iter([
            Ok(ModelDelta::Usage(usage(30, 1))),
            Ok(ModelDelta::Text("he".into())),
            Err(OperationError::from("the connection is lost")),
        ])
    };
    rails.guard_stream(hundred(), &mut ctx, model, |_| async {}).await.unwrap_err();
    assert_eq!(used(&store).await, (33, 2));
    // A later failure does not count it again.
    let model = |_| async { Err::<ModelResponse, _>(OperationError::from("down")) };
    rails.guard_llm_call(hundred(), &mut ctx, model).await.unwrap_err();
    assert_eq!(used(&store).await, (33, 3));
}

/// The usage of a call that ends while another one runs is not counted again when that one fails.
#[tokio::test]
async fn a_failed_call_does_not_count_the_usage_of_another_one() {
    let (rails, store) = rails(TOKENS_AND_CALLS);
    let ctx = run();
    let (mut one, mut other) = (ctx.child(), ctx.child());
    let end = tokio::sync::Notify::new();
    let fails = |_| async {
        end.notified().await;
        Err::<ModelResponse, _>(OperationError::from("broken"))
    };
    let first = rails.guard_llm_call(hundred(), &mut one, fails);
    let second = async {
        model_call(&rails, &mut other, Some(usage(30, 12))).await.unwrap();
        end.notify_one();
    };
    let (first, ()) = tokio::join!(first, second);
    first.unwrap_err();
    assert_eq!(used(&store).await, (42, 2));
}

/// Refuses the first answers of the model, before and after the budgets.
struct Again {
    left: AtomicU32,
}

#[rail(priority = 10)]
impl Again {
    #[on(PostLlmCall, LlmError)]
    fn again(&self) -> RailAction {
        let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if left.is_ok() {
            RailAction::retry(RetryRequest::new("again").with_max_retries(2))
        } else {
            RailAction::Continue
        }
    }
}

rail_chain! {
    struct Retrying { again: Again, budgets: Budgets }
}

#[tokio::test]
async fn each_attempt_counts() {
    let store = Arc::new(MemoryStore::new());
    let budgets = budgets(TOKENS_AND_CALLS).with_store(GuardStore::new(store.clone()));
    let rails = Retrying { again: Again { left: AtomicU32::new(2) }, budgets };
    let attempts = AtomicU32::new(0);
    let model = |_| {
        let attempt = attempts.fetch_add(1, Ordering::SeqCst);
        async move { if attempt == 1 { Err(OperationError::from("down")) } else { Ok(answer(Some(usage(10, 0)))) } }
    };
    rails.guard_llm_call(hundred(), &mut run(), model).await.unwrap();
    assert_eq!(attempts.into_inner(), 3);
    assert_eq!(used(&store).await, (20, 3));
}

/// Stops a model call after the budgets have reserved it.
struct Later(Stop);

type Stop = fn() -> RailAction<ModelResponse>;

#[rail(priority = 60)]
impl Later {
    #[on(PreLlmCall)]
    fn stop(&self, ctx: &RailContext) -> RailAction<ModelResponse> {
        if ctx.attempt() == 0 { (self.0)() } else { RailAction::Continue }
    }
}

rail_chain! {
    struct Stopping { budgets: Budgets, later: Later }
}

#[tokio::test]
async fn a_call_that_a_later_rail_prevents_costs_nothing() {
    let table: [(Stop, (u64, u64)); 3] = [
        (|| RailAction::skip("not now"), (0, 0)),
        (|| RailAction::skip_with(answer(Some(usage(500, 500))), "from a cache"), (0, 0)),
        (|| RailAction::retry(RetryRequest::new("again")), (10, 1)),
    ];
    for (stop, expected) in table {
        let store = Arc::new(MemoryStore::new());
        let budgets = budgets(TOKENS_AND_CALLS).with_store(GuardStore::new(store.clone()));
        let rails = Stopping { budgets, later: Later(stop) };
        let model = |_| async { Ok::<_, OperationError>(answer(Some(usage(10, 0)))) };
        rails.guard_llm_call(hundred(), &mut run(), model).await.unwrap();
        assert_eq!(used(&store).await, expected);
    }
}

#[tokio::test]
async fn an_abort_of_a_later_rail_frees_the_tokens_when_the_run_ends() {
    let store = Arc::new(MemoryStore::new());
    let budgets = budgets(TOKENS_AND_CALLS).with_store(GuardStore::new(store.clone()));
    let rails = Stopping { budgets, later: Later(|| RailAction::abort("no")) };
    let mut ctx = run();
    let model = |_| async { Ok::<_, OperationError>(answer(None)) };
    rails.guard_llm_call(hundred(), &mut ctx, model).await.unwrap_err();
    assert_eq!(counter(&store, "tokens", "total_tokens", Scope::Run, "r").await.reserved, 100);
    drop(ctx);
    assert_eq!(used(&store).await, (0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_frees_its_tokens() {
    for (policy, tokens) in [("", 0), ("interrupted = 'estimate'\n", 100)] {
        for in_a_run in [false, true] {
            let (rails, store) = rails(&format!("{policy}{TOKENS_AND_CALLS}"));
            let mut ctx = run();
            let model = |_| std::future::pending::<Result<ModelResponse, OperationError>>();
            let soon = Duration::from_millis(1);
            if in_a_run {
                let body = async |permit: exo_rails::Permit<InvokeInputs>| {
                    rails.guard_llm_call(hundred(), &mut permit.context(), model).await?;
                    Ok::<_, RunError>(InvokeOutput::text("done"))
                };
                tokio::time::timeout(soon, rails.guard_run("hello", &mut ctx, body)).await.unwrap_err();
            } else {
                tokio::time::timeout(soon, rails.guard_llm_call(hundred(), &mut ctx, model)).await.unwrap_err();
                assert_eq!(counter(&store, "tokens", "total_tokens", Scope::Run, "r").await.reserved, 100);
                drop(ctx);
            }
            assert_eq!(used(&store).await, (tokens, 1), "{policy} {in_a_run}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_process_that_dies_frees_its_reservations_later() {
    let (rails, store) = rails(&format!("hold_for_ms = 60_000\n{TOKENS_AND_CALLS}"));
    let mut ctx = run();
    let model = |_| std::future::pending::<Result<ModelResponse, OperationError>>();
    tokio::time::timeout(Duration::from_millis(1), rails.guard_llm_call(hundred(), &mut ctx, model)).await.unwrap_err();
    std::mem::forget(ctx);
    assert_eq!(counter(&store, "tokens", "total_tokens", Scope::Run, "r").await.reserved, 100);
    tokio::time::advance(Duration::from_mins(1)).await;
    assert_eq!(used(&store).await, (0, 0));
}

#[tokio::test]
async fn a_failed_tool_call_counts_once() {
    let (rails, store) = rails("limits = [{ name = 'calls', of = 'tool_calls', most = 10 }]");
    let mut ctx = run();
    let tool = |_| async { Err::<ToolOutput, _>(OperationError::from("down")) };
    for expected in 1..4 {
        rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
        let calls = counter(&store, "calls", "tool_calls", Scope::Run, "r").await;
        assert_eq!((calls.used, calls.reserved), (expected, 0));
    }
}

#[tokio::test]
async fn a_guard_that_replaces_another_keeps_the_count() {
    let store = Arc::new(MemoryStore::new());
    let toml = |most: u32| format!("limits = [{{ name = 'x', of = 'tool_calls', most = {most} }}]");
    let make = |most| Rails { budgets: budgets(&toml(most)).with_store(GuardStore::new(store.clone())) };
    let mut ctx = run();
    assert_eq!(tool_call(&make(1), &mut ctx, "search").await, "done");
    assert!(tool_call(&make(1), &mut ctx, "search").await.contains("no room"));
    assert_eq!(tool_call(&make(2), &mut ctx, "search").await, "done");
    assert!(tool_call(&make(2), &mut ctx, "search").await.contains("no room"));
}

#[tokio::test]
async fn a_guard_in_shadow_has_its_own_count_and_refuses_nothing() {
    let store = Arc::new(MemoryStore::new());
    let limits = "limits = [{ name = 'x', of = 'tool_calls', most = 2 }]";
    let make = || Rails { budgets: budgets(limits).with_store(GuardStore::new(store.clone())) };
    let (shadow, enforced, mut ctx) = (make().shadow(), make(), run());
    for _ in 0..5 {
        let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
        let output = shadow.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
        assert_eq!(output.content, "done");
    }
    assert_eq!(counter(&store, "x", "tool_calls", Scope::Run, "r").await.used, 0);
    let shadows = exo_rails_guards::store::StateStoreExt::namespace(store.clone(), "shadow");
    let in_shadow = counter(&shadows, "x", "tool_calls", Scope::Run, "r").await;
    assert_eq!((in_shadow.used, in_shadow.reserved), (2, 0));
    assert!(ctx.take_notices().is_empty());
    assert_eq!(tool_call(&enforced, &mut ctx, "search").await, "done");
}

/// Streams a piece of 10 bytes again and again. Returns the bytes that were shown, and the result.
async fn endless(
    rails: &Rails,
    ctx: &mut RunContext,
    request: ModelCallInputs,
) -> (usize, Result<ModelResponse, RunError>) {
    let shown = AtomicUsize::new(0);
    let piece = || Ok::<_, OperationError>(ModelDelta::Text("0123456789".to_owned()));
    let model = |_| stream::repeat_with(piece).take(100_000);
    let sink = async |piece| {
        if let StreamPiece::Text(text) = piece {
            shown.fetch_add(text.len(), Ordering::Relaxed);
        }
    };
    let result = rails.guard_stream(request, ctx, model, sink).await;
    (shown.into_inner(), result)
}

#[tokio::test]
async fn a_stream_ends_when_no_budget_has_room_for_more_tokens() {
    let price = "prices = [{ model = '*', prompt = '1', completion = '10' }]\ndefault_model = 'm'";
    // A token may have six bytes. The request has 7 tokens.
    let table = [
        ("of = 'completion_tokens', most = 100", 600),
        ("of = 'total_tokens', most = 107", 600),
        ("of = 'cost', most = '0.001007'", 600),
        ("of = 'model_calls', most = 9 }, { name = 'second', of = 'completion_tokens', most = 10", 60),
    ];
    for (limit, bytes) in table {
        let (rails, _) = rails(&format!("{price}\nwarn_at_percent = 0\nlimits = [{{ name = 'first', {limit} }}]"));
        let mut ctx = run();
        let (shown, answer) = endless(&rails, &mut ctx, request(9, None)).await;
        let answer = answer.unwrap();
        assert_eq!((shown, answer.is_cut()), (bytes, true), "{limit}");
        let findings = ctx.extra.get::<Findings>().cloned().unwrap_or_default();
        assert!(findings.0.iter().any(|finding| finding.message.contains("the answer was cut")), "{limit}");
        // What was shown counts, so the next call has no room.
        let (shown, error) = endless(&rails, &mut ctx, request(9, None)).await;
        assert_eq!(shown, 0, "{limit}");
        assert!(error.unwrap_err().to_string().contains("has no room"), "{limit}");
    }
}

#[tokio::test]
async fn the_limits_of_a_stream_leave_room_for_running_calls() {
    let (rails, store) = rails("limits = [{ name = 'tokens', of = 'completion_tokens', most = 100, per = 'agent' }]");
    let mut other = RunContext::new("demo");
    let model = async |_| {
        // The other call has reserved 60 tokens.
        let (shown, cut) = endless(&rails, &mut run(), request(9, Some(40))).await;
        assert_eq!((shown, cut.unwrap().is_cut()), (240, true));
        Ok::<_, OperationError>(answer(Some(usage(7, 60))))
    };
    rails.guard_llm_call(request(9, Some(60)), &mut other, model).await.unwrap();
    let counter = counter(&store, "tokens", "completion_tokens", Scope::Agent, "demo").await;
    assert_eq!((counter.used, counter.reserved), (60 + 80, 0));
}
