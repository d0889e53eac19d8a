//! Dropping or cancelling a guarded operation, at any point, leaves nothing half-done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;
use exo_rails::{CancellationToken, DynGuardSet, Next};
use tests::{GuardDyn, Polls, note, notes, prompt, rails, take_notes, yields};

fn context() -> RunContext {
    RunContext::new("cancellation")
}

/// A step that waits: it notes when it begins and when it ends.
async fn step(name: &str, scope: &exo_rails::RunScope) {
    note(scope, format!("{name} begins"));
    yields(2).await;
    note(scope, format!("{name} ends"));
}

#[rail(priority = 10, on = [PreToolCall, PreLlmCall, Start])]
async fn first(ctx: &mut RailContext) -> RailAction {
    step(&format!("first at {}", ctx.event()), ctx).await;
    RailAction::Continue
}

#[rail(priority = 20, on = [PreToolCall, PreLlmCall, Start])]
async fn second(ctx: &mut RailContext) -> Verdict {
    step(&format!("second at {}", ctx.event()), ctx).await;
    Verdict::Continue
}

#[rail(priority = 10, on = [PostToolCall, PostLlmCall, Finished])]
async fn observe(ctx: &mut RailContext) {
    step(&format!("observe at {}", ctx.event()), ctx).await;
}

/// Has everything done once more, after a wait.
#[rail(priority = 20, on = [PostToolCall, PostLlmCall, Finished])]
async fn once_more(ctx: &mut RailContext) -> RailAction {
    step(&format!("once more at {}", ctx.event()), ctx).await;
    if ctx.attempt() > 0 {
        return RailAction::Continue;
    }
    RailAction::retry(RetryRequest::new("once more").with_delay(Duration::from_secs(5)))
}

#[rail(priority = 90, on = [events::Error])]
fn told(error: &RunError, ctx: &RailContext) {
    note(ctx, format!("told: {error}"));
}

async fn slow_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    step("tool", call.scope()).await;
    Ok(ToolOutput::text(&call.tool_name))
}

async fn slow_model(call: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    step("model", call.scope()).await;
    Ok(ModelResponse::text("answer"))
}

async fn tool_call(ctx: &mut RunContext) -> Result<String, RunError> {
    let call = ToolCallInputs::new("search");
    Ok(guards().guard_tool_call(call, ctx, slow_tool).await?.content)
}

async fn llm_call(ctx: &mut RunContext) -> Result<String, RunError> {
    Ok(guards().guard_llm_call(prompt("hello"), ctx, slow_model).await?.message.text().into_owned())
}

async fn whole_run(ctx: &mut RunContext) -> Result<String, RunError> {
    let run = async |run: Permit<InvokeInputs>| {
        let mut ctx = run.context();
        llm_call(&mut ctx).await?;
        Ok::<_, RunError>(InvokeOutput::text(tool_call(&mut ctx).await?))
    };
    Ok(guards().guard_run("hello", ctx, |permit| Box::pin(run(permit))).await?.text)
}

rail_chain! {
    struct Guards { once_more, second, told, observe, first }
}

fn guards() -> Guards {
    Guards {}
}

/// What happens when nothing is cancelled.
async fn undisturbed(case: impl AsyncFn(&mut RunContext) -> Result<String, RunError>) -> Vec<String> {
    let mut ctx = context();
    case(&mut ctx).await.unwrap();
    notes(&ctx)
}

/// Drops the case after each number of polls that it takes.
async fn drop_everywhere(case: impl AsyncFn(&mut RunContext) -> Result<String, RunError>, steps: usize) {
    let full = undisturbed(&case).await;
    assert_eq!(full.len(), 2 * steps);
    let (mut polls, mut lengths) = (0, Vec::new());
    loop {
        let mut ctx = context();
        let ended = Polls(polls).of(case(&mut ctx)).await;
        let done = take_notes(&ctx);
        // What was done is the beginning of what is done without a drop: nothing is left out, nothing comes twice.
        assert_eq!(done, full[..done.len()], "after {polls} polls");
        lengths.push(done.len());
        // The context is good for the next operation, which begins anew.
        assert!(case(&mut ctx).await.is_ok());
        assert_eq!(notes(&ctx), full, "after {polls} polls");
        if ended.is_some() {
            break;
        }
        polls += 1;
    }
    assert!(polls > 2 * steps, "{polls} polls");
    // Each step was dropped once between its beginning and its end.
    let halfway = (0..steps).map(|step| 2 * step + 1);
    assert!(halfway.into_iter().all(|length| lengths.contains(&length)), "{lengths:?}");
}

#[tokio::test(start_paused = true)]
async fn a_tool_call_can_be_dropped_at_every_await_point() {
    drop_everywhere(tool_call, 10).await;
}

#[tokio::test(start_paused = true)]
async fn a_model_call_can_be_dropped_at_every_await_point() {
    drop_everywhere(llm_call, 10).await;
}

#[tokio::test(start_paused = true)]
async fn a_run_can_be_dropped_at_every_await_point() {
    drop_everywhere(whole_run, 2 * (2 + 10 + 10 + 2)).await;
}

#[tokio::test(start_paused = true)]
async fn the_operation_happens_between_its_pre_and_post_rails() {
    let attempt = [
        "first at pre_tool_call",
        "second at pre_tool_call",
        "tool",
        "observe at post_tool_call",
        "once more at post_tool_call",
    ];
    let twice = attempt.iter().chain(&attempt).flat_map(|step| [format!("{step} begins"), format!("{step} ends")]);
    assert_eq!(undisturbed(tool_call).await, twice.collect::<Vec<_>>());
}

/// Cancels the run's token after each number of polls, and goes on to the end.
async fn cancel_everywhere(case: impl AsyncFn(&mut RunContext) -> Result<String, RunError>, told: usize) {
    let full = undisturbed(&case).await;
    let (mut polls, mut cancelled) = (0, 0);
    loop {
        let token = CancellationToken::new();
        let mut ctx = context().with_cancellation(token.clone());
        let mut future = Box::pin(case(&mut ctx));
        if Polls(polls).of(future.as_mut()).await.is_some() {
            break;
        }
        token.cancel();
        let result = future.await;
        let done = notes(&ctx);
        match result {
            Ok(_) => assert_eq!(done, full),
            Err(error) => {
                assert!(matches!(error, RunError::Cancelled), "{error}");
                let (done, told_of) = done.split_at(done.len() - told);
                assert_eq!(done, &full[..done.len()], "after {polls} polls");
                // Rails and requests to the model are dropped where they wait; a tool comes to its end.
                assert_ne!(done.last().map(String::as_str), Some("tool begins"), "a tool was left half-done: {done:?}");
                assert_eq!(told_of, vec!["told: the run was cancelled"; told]);
                cancelled += 1;
            }
        }
        polls += 1;
    }
    assert!(cancelled > 0);
}

#[tokio::test(start_paused = true)]
async fn a_tool_call_can_be_cancelled_at_every_await_point() {
    cancel_everywhere(tool_call, 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_model_call_can_be_cancelled_at_every_await_point() {
    cancel_everywhere(llm_call, 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_run_can_be_cancelled_at_every_await_point_and_fires_error_once() {
    cancel_everywhere(whole_run, 1).await;
}

#[tokio::test]
async fn nothing_happens_when_the_run_is_cancelled_before_it_starts() {
    let token = CancellationToken::new();
    token.cancel();
    let mut ctx = context().with_cancellation(token);
    for result in [tool_call(&mut ctx).await, llm_call(&mut ctx).await] {
        assert!(matches!(result, Err(RunError::Cancelled)));
    }
    assert!(notes(&ctx).is_empty());
    assert!(matches!(whole_run(&mut ctx).await, Err(RunError::Cancelled)));
    assert_eq!(notes(&ctx), ["told: the run was cancelled"]);
}

#[rail(priority = 10, on = [PostToolCall])]
fn wait_for_a_year(ctx: &RailContext) -> RailAction {
    note(ctx, "asks for a year");
    RailAction::retry(RetryRequest::new("next year").with_delay(Duration::from_hours(8766)))
}

#[tokio::test(start_paused = true)]
async fn cancelling_ends_the_delay_of_a_retry_at_once() {
    let token = CancellationToken::new();
    let mut ctx = context().with_cancellation(token.clone()).with_max_retry_delay(Duration::MAX);
    let begin = tokio::time::Instant::now();
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        token.cancel();
    };
    let rails = rails![wait_for_a_year, first];
    let guarded = rails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, slow_tool);
    let (result, ()) = tokio::join!(guarded, cancel);
    assert!(matches!(result, Err(RunError::Cancelled)));
    // The clock stands still but for what is waited for.
    assert_eq!(begin.elapsed().as_secs(), 1);
    let done =
        ["first at pre_tool_call begins", "first at pre_tool_call ends", "tool begins", "tool ends", "asks for a year"];
    assert_eq!(notes(&ctx), done);
}

#[tokio::test(start_paused = true)]
async fn a_retry_without_a_delay_stops_when_the_run_is_cancelled() {
    #[rail(priority = 10, on = [PostToolCall])]
    fn cancel_and_retry(ctx: &RailContext) -> Option<RailAction> {
        ctx.cancellation()?.cancel();
        Some(RailAction::retry(RetryRequest::new("again").with_max_retries(9)))
    }
    let mut ctx = context().with_cancellation(CancellationToken::new());
    let call = ToolCallInputs::new("search");
    let result = rails![cancel_and_retry].dyn_tool_call(call, &mut ctx, tests::tool).await;
    assert!(matches!(result, Err(RunError::Cancelled)));
    assert_eq!(notes(&ctx), ["tool search {}"]);
}

#[tokio::test]
async fn a_panic_in_a_rail_keeps_the_tool_from_running() {
    #[rail(priority = 10, on = [PreToolCall])]
    fn panics() -> RailAction {
        panic!("a bug in a rail")
    }
    let happened = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&happened);
    let task = tokio::spawn(async move {
        let tool = |call| {
            told.store(true, Ordering::SeqCst);
            tests::tool(call)
        };
        rails![panics].dyn_tool_call(ToolCallInputs::new("delete"), &mut context(), tool).await
    });
    assert!(task.await.unwrap_err().is_panic());
    assert!(!happened.load(Ordering::SeqCst));
}

/// Waits for an answer that never comes, as an approval without a `timeout` does.
async fn waits(ctx: &RailContext) -> Verdict {
    note(ctx, format!("waits at {}", ctx.event()));
    std::future::pending().await
}

/// Waits only at some events.
struct WaitsAt(HookPoint);

#[rail]
impl WaitsAt {
    #[on(PreToolCall, PostToolCall, ToolError, PreLlmCall, PostLlmCall, LlmError, LlmChunk, Start, Finished)]
    async fn check(&self, ctx: &RailContext) -> Verdict {
        if ctx.event() == self.0 { waits(ctx).await } else { Verdict::Continue }
    }
}

rail_chain! {
    struct Inside { at: WaitsAt }
}

rail_chain! {
    struct Waiting { inside: Inside, told }
}

rail_chain! {
    struct AroundIt { around: Around }
}

/// Cancels the run when its rail waits, and returns what there was.
async fn cancelled_at(rails: &dyn GuardSet, failing: bool) -> Vec<String> {
    let token = CancellationToken::new();
    let mut ctx = context().with_cancellation(token.clone());
    let run = |run: Permit<InvokeInputs>| {
        let mut ctx = run.context();
        async move {
            let model = move |_| async move { if failing { Err("down") } else { Ok("answer") } };
            let answer = (&rails).guard_llm_call(prompt("hello"), &mut ctx, model).await;
            let tool = move |_| async move { if failing { Err("down") } else { Ok("found") } };
            (&rails).guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?;
            Ok::<_, RunError>(InvokeOutput::text(answer?.message.text()))
        }
    };
    {
        let mut guarded = std::pin::pin!((&rails).guard_run("hello", &mut ctx, run));
        assert!(Polls(1).of(guarded.as_mut()).await.is_none(), "a rail waits");
        token.cancel();
        let error = guarded.await.unwrap_err();
        assert!(matches!(error, RunError::Cancelled), "{error}");
    }
    notes(&ctx)
}

#[tokio::test]
async fn a_rail_that_waits_is_dropped_when_the_run_is_cancelled() {
    use HookPoint as At;
    let fine =
        [At::Start, At::PreLlmCall, At::LlmChunk, At::PostLlmCall, At::PreToolCall, At::PostToolCall, At::Finished];
    let failing = [At::LlmError, At::ToolError];
    let cases = fine.map(|at| (at, false)).into_iter().chain(failing.map(|at| (at, true)));
    for (at, failing) in cases {
        let expected = [format!("waits at {at}"), "told: the run was cancelled".to_owned()];
        let chain = || Waiting { inside: Inside { at: WaitsAt(at) } };
        assert_eq!(cancelled_at(&chain(), failing).await, expected);
        let mut manager = RailManager::new();
        manager.add(told {}).unwrap();
        manager.add(WaitsAt(at)).unwrap();
        assert_eq!(cancelled_at(&manager, failing).await, expected);
        assert_eq!(cancelled_at(&DynGuardSet::new(chain()), failing).await, expected);
    }
}

/// Waits around a tool call: before it, or after it.
struct Around {
    before: bool,
}

#[rail]
impl Around {
    #[on(PreToolCall, around)]
    async fn call(&self, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        let scope = next.scope().clone();
        note(&scope, "around");
        if self.before {
            std::future::pending::<()>().await;
        }
        let result = next.run().await;
        note(&scope, "behind");
        std::future::pending::<()>().await;
        result
    }
}

#[tokio::test]
async fn cancellation_drops_a_waiting_rail_around_an_operation_and_lets_the_tool_end() {
    for (before, polls, expected) in [
        (true, 1, &["around"][..]),
        // The tool begins, and comes to its end: it is polled three times.
        (false, 1, &["around", "tool begins", "tool ends", "behind"]),
        (false, 2, &["around", "tool begins", "tool ends", "behind"]),
        (false, 3, &["around", "tool begins", "tool ends", "behind"]),
    ] {
        let token = CancellationToken::new();
        let (rails, mut ctx) = (AroundIt { around: Around { before } }, context().with_cancellation(token.clone()));
        let mut guarded = Box::pin(rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, slow_tool));
        assert!(Polls(polls).of(guarded.as_mut()).await.is_none());
        token.cancel();
        assert!(matches!(guarded.await, Err(RunError::Cancelled)));
        assert_eq!(notes(&ctx), expected);
    }
}

#[tokio::test]
async fn cancellation_ends_waiting_rails_of_memories_and_sessions() {
    #[rail(on = [MemoryRecalled, MemoryStored, SessionStart])]
    async fn waits_too() -> Verdict {
        std::future::pending().await
    }
    let rails = rails![waits_too];
    let token = CancellationToken::new();
    let cancel = async {
        yields(3).await;
        token.cancel();
    };
    let new = || context().with_cancellation(token.clone());
    let (mut recalls, mut stores, mut starts) = (new(), new(), new());
    let recall = |_| async { Ok::<_, OperationError>(exo_rails::RecalledMemory::default()) };
    let store = |_| async { Ok::<_, OperationError>(()) };
    let session = exo_rails::SessionInfo::new("s-1");
    let (of_recall, of_store, of_start, ()) = tokio::join!(
        rails.guard_recall(exo_rails::MemoryQuery::new("who?", 5), &mut recalls, recall),
        rails.guard_store(exo_rails::MemoryEntry::new([]), &mut stores, store),
        rails.start_session(&session, &mut starts),
        cancel
    );
    assert!(matches!(of_recall, Err(RunError::Cancelled)));
    assert!(matches!(of_store, Err(RunError::Cancelled)));
    assert!(matches!(of_start, Err(RunError::Cancelled)));
}

#[tokio::test]
async fn a_request_to_the_model_or_a_memory_that_never_answers_ends_with_the_run() {
    let token = CancellationToken::new();
    let (mut asks, mut recalls) =
        (context().with_cancellation(token.clone()), context().with_cancellation(token.clone()));
    let cancel = async {
        yields(3).await;
        token.cancel();
    };
    let model = |_| std::future::pending::<Result<ModelResponse, OperationError>>();
    let recall = |_| std::future::pending::<Result<exo_rails::RecalledMemory, OperationError>>();
    let (of_model, of_recall, ()) = tokio::join!(
        exo_rails::NoRails.dyn_llm_call(prompt("hello"), &mut asks, model),
        exo_rails::NoRails.guard_recall(exo_rails::MemoryQuery::new("who?", 5), &mut recalls, recall),
        cancel
    );
    assert!(matches!(of_model, Err(RunError::Cancelled)));
    assert!(matches!(of_recall, Err(RunError::Cancelled)));
}
