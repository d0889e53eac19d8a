//! Retries: the operation is done again, its pre rails first, as often as the rail that asks may.

use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{OperationErrorKind, RetriesExhausted};
use serde_json::json;
use tests::{GuardDyn, fails_first, note, notes, prompt, rails, take_notes, tool};

fn context() -> RunContext {
    RunContext::new("retry")
}

fn call() -> ToolCallInputs {
    ToolCallInputs::new("search")
}

/// Asks for a retry at each of its first attempts, as often as the tool's argument says.
fn until(call: &ToolCallInputs, name: &str, attempt: u32) -> bool {
    call.arguments[name].as_u64().is_some_and(|attempts| u64::from(attempt) < attempts)
}

#[rail(priority = 10, on = [PreToolCall])]
fn before(call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
    note(ctx, format!("before {}", ctx.attempt()));
    if !until(call, "before", ctx.attempt()) {
        return RailAction::Continue;
    }
    RailAction::retry(RetryRequest::new("not yet").with_max_retries(2))
}

#[rail(priority = 20, on = [PostToolCall])]
fn after(call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
    note(ctx, format!("after {}", ctx.attempt()));
    if !until(call, "after", ctx.attempt()) {
        return RailAction::Continue;
    }
    RailAction::retry(RetryRequest::new("not good enough").with_max_retries(2))
}

#[rail(priority = 30, on = [ToolError])]
fn on_error(error: &OperationError, ctx: &RailContext) -> RailAction {
    note(ctx, format!("error {}: {}", ctx.attempt(), error.message));
    RailAction::retry(RetryRequest::new("try again").with_max_retries(2))
}

#[rail(priority = 10, on = [PostToolCall])]
fn never() -> RailAction {
    RailAction::retry(RetryRequest::new("it would be no use").with_max_retries(0))
}

#[rail(priority = 5, on = [PreToolCall])]
fn double(call: &mut ToolCallInputs, ctx: &RailContext) {
    let doubled = call.arguments["n"].as_i64().unwrap() * 2;
    call.arguments["n"] = json!(doubled);
    note(ctx, format!("n is {doubled}"));
}

/// The error of a tool call that used up a rail's retries.
fn exhausted(result: Result<ToolOutput, RunError>) -> RetriesExhausted {
    match result {
        Err(RunError::RetriesExhausted(exhausted)) => exhausted,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_retry_after_a_tool_does_the_call_again() {
    let mut ctx = context();
    let arguments = json!({ "after": 2 });
    let result = rails![before, after].dyn_tool_call(call().with_arguments(arguments), &mut ctx, tool).await;
    assert!(result.is_ok());
    let attempt = |i| [format!("before {i}"), "tool search {\"after\":2}".to_owned(), format!("after {i}")];
    assert_eq!(notes(&ctx), [attempt(0), attempt(1), attempt(2)].concat());
}

#[tokio::test]
async fn a_retry_before_a_tool_asks_the_pre_rails_again() {
    let mut ctx = context();
    let arguments = json!({ "before": 2 });
    let result = rails![before, after].dyn_tool_call(call().with_arguments(arguments), &mut ctx, tool).await;
    assert!(result.is_ok());
    assert_eq!(notes(&ctx), ["before 0", "before 1", "before 2", "tool search {\"before\":2}", "after 2"]);
}

#[tokio::test]
async fn a_failed_tool_call_is_retried() {
    let mut ctx = context();
    let mut end = fails_first(2, ToolOutput::text("found"));
    let rails = rails![before, on_error];
    let output = rails.dyn_tool_call(call(), &mut ctx, |_| std::future::ready(end())).await.unwrap();
    assert_eq!(output.content, "found");
    assert_eq!(notes(&ctx), ["before 0", "error 0: failure 1", "before 1", "error 1: failure 2", "before 2"]);
}

#[tokio::test]
async fn a_failed_model_call_is_retried() {
    #[rail(priority = 10, on = [LlmError])]
    fn when_rate_limited(error: &OperationError) -> Option<RailAction> {
        let delay = error.retry_after?;
        (error.kind == OperationErrorKind::RateLimited)
            .then(|| RailAction::retry(RetryRequest::new("rate limited").with_delay(delay)))
    }
    let limited = || OperationError::new(OperationErrorKind::RateLimited, "slow down").with_retry_after(Duration::ZERO);
    let mut answers = vec![Ok(ModelResponse::text("hello")), Err(limited())];
    let rails = rails![when_rate_limited];
    let mut next = || std::future::ready(answers.pop().unwrap());
    let response = rails.dyn_llm_call(prompt("hi"), &mut context(), |_| next()).await.unwrap();
    assert_eq!(response.message.text(), "hello");
    let failed = rails.dyn_llm_call(prompt("hi"), &mut context(), tests::broken_model).await.unwrap_err();
    assert_eq!(failed.to_string(), "the model is broken (failed)", "other errors go on");
}

#[tokio::test]
async fn retries_that_are_used_up_name_rail_attempts_and_reason() {
    let mut ctx = context();
    let arguments = json!({ "after": 9 });
    let result = rails![before, after].dyn_tool_call(call().with_arguments(arguments), &mut ctx, tool).await;
    let error = exhausted(result);
    assert_eq!((error.rail_name.as_str(), error.event), ("after", HookPoint::PostToolCall));
    assert_eq!((error.attempts, error.limit.max_retries(), error.reason.as_str()), (3, 2, "not good enough"));
    assert_eq!(notes(&ctx).iter().filter(|note| note.starts_with("tool")).count(), 3, "one call and two retries");
}

#[tokio::test]
async fn zero_retries_mean_never() {
    let mut ctx = context();
    let error = exhausted(rails![never].dyn_tool_call(call(), &mut ctx, tool).await);
    assert_eq!((error.rail_name.as_str(), error.attempts, error.limit.max_retries()), ("never", 1, 0));
    assert_eq!(notes(&ctx), ["tool search {}"]);
}

#[tokio::test]
async fn each_rail_has_its_own_count() {
    let mut ctx = context();
    // Two retries before, then two after: none of the two rails asks for more than it has.
    let arguments = json!({ "before": 2, "after": 4 });
    let result = rails![before, after].dyn_tool_call(call().with_arguments(arguments), &mut ctx, tool).await;
    assert!(result.is_ok(), "{result:?}");
    let attempts: Vec<_> = notes(&ctx).into_iter().filter(|note| note.starts_with("before")).collect();
    assert_eq!(attempts, ["before 0", "before 1", "before 2", "before 3", "before 4"]);
}

/// Asks for one retry, at one of the attempts.
struct OnceAt<const ATTEMPT: u32>;

#[rail(priority = 10)]
impl<const ATTEMPT: u32> OnceAt<ATTEMPT> {
    #[on(PostToolCall)]
    fn again(ctx: &RailContext) -> Option<RailAction> {
        once_at(ATTEMPT, ctx)
    }
}

fn once_at(attempt: u32, ctx: &RailContext) -> Option<RailAction> {
    (ctx.attempt() == attempt).then(|| RailAction::retry(RetryRequest::new("once more")))
}

rail_chain! {
    struct OnceEach { at_the_first: OnceAt<0>, at_the_second: OnceAt<1> }
}

#[tokio::test]
async fn rails_of_one_generic_type_have_separate_counts() {
    let rails = OnceEach { at_the_first: OnceAt, at_the_second: OnceAt };
    let result = rails.guard_tool_call(call(), &mut context(), tool).await;
    assert!(result.is_ok(), "{result:?}");
}

/// Asks for one retry, at the attempt that it was made with.
struct OnceAtAttempt(u32);

#[rail(priority = 10)]
impl OnceAtAttempt {
    #[on(PostToolCall)]
    fn again(&self, ctx: &RailContext) -> Option<RailAction> {
        once_at(self.0, ctx)
    }
}

rail_chain! {
    struct Inner { again: OnceAtAttempt }
}

rail_chain! {
    struct Other { again: OnceAtAttempt }
}

rail_chain! {
    #[chain(trace)]
    struct Outer { inner: Inner, other: Other }
}

#[tokio::test]
async fn a_rail_in_two_chains_has_a_separate_count_in_each() {
    let rails = Outer { inner: Inner { again: OnceAtAttempt(0) }, other: Other { again: OnceAtAttempt(1) } };
    let result = rails.guard_tool_call(call(), &mut context(), tool).await;
    assert!(result.is_ok(), "{result:?}");
}

#[tokio::test]
async fn hooks_added_in_a_loop_have_separate_counts() {
    let mut hooks = HookManager::new();
    for attempt in 0..2 {
        let hook = move |_: Inputs<'_>, ctx: &mut RailContext| std::future::ready(once_at(attempt, ctx));
        hooks.add(HookPoint::PostToolCall, hook);
    }
    let result = hooks.dyn_tool_call(call(), &mut context(), tool).await;
    assert!(result.is_ok(), "{result:?}");
}

#[tokio::test]
async fn each_operation_has_its_own_count() {
    let mut ctx = context();
    for _ in 0..3 {
        let arguments = json!({ "after": 2 });
        let result = rails![after].dyn_tool_call(call().with_arguments(arguments), &mut ctx, tool).await;
        assert!(result.is_ok(), "{result:?}");
        let attempts: Vec<_> = take_notes(&ctx).into_iter().filter(|note| note.starts_with("after")).collect();
        assert_eq!(attempts, ["after 0", "after 1", "after 2"]);
    }
}

#[tokio::test]
async fn attempts_of_all_rails_are_counted_in_the_error() {
    let mut ctx = context();
    let arguments = json!({ "before": 2, "after": 9 });
    let result = rails![before, after].dyn_tool_call(call().with_arguments(arguments), &mut ctx, tool).await;
    let error = exhausted(result);
    assert_eq!((error.rail_name.as_str(), error.attempts, error.limit.max_retries()), ("after", 5, 2));
}

#[tokio::test]
async fn a_retry_begins_with_the_original_inputs() {
    let mut ctx = context();
    let arguments = json!({ "n": 3, "after": 2 });
    let rails = rails![double, after];
    let output = rails.dyn_tool_call(call().with_arguments(arguments), &mut ctx, tool).await.unwrap();
    assert_eq!(output.content, r#"{"after":2,"n":6}"#, "a rail that rewrites does not see its own work");
    assert_eq!(notes(&ctx).iter().filter(|note| *note == "n is 6").count(), 3);
}

#[tokio::test]
async fn a_retry_in_a_hook_manager_begins_with_the_original_inputs() {
    let mut hooks = HookManager::new();
    rail_chain![double].register(&mut hooks);
    rail_chain![after].register(&mut hooks);
    let arguments = json!({ "n": 3, "after": 1 });
    let output = hooks.dyn_tool_call(call().with_arguments(arguments), &mut context(), tool).await.unwrap();
    assert_eq!(output.content, r#"{"after":1,"n":6}"#);
}

#[rail(priority = 10, on = [Finished])]
fn no_draft(output: &InvokeOutput, ctx: &RailContext) -> RailAction {
    note(ctx, format!("finished {}", output.text));
    if output.text != "draft" {
        return RailAction::Continue;
    }
    RailAction::retry(RetryRequest::new("a draft is no answer"))
}

#[rail(priority = 10, on = [Start])]
fn started(run: &mut InvokeInputs, ctx: &RailContext) {
    note(ctx, format!("start {} {}", run.input.text(), ctx.attempt()));
    run.input = "changed".into();
}

#[tokio::test]
async fn a_retry_of_the_finished_run_does_the_whole_run_again() {
    let mut ctx = context();
    let mut answers = vec!["answer", "draft"];
    let rails = rails![no_draft, started];
    let run = |run: Permit<InvokeInputs>| {
        note(run.scope(), format!("run {}", run.input.text()));
        std::future::ready(Ok::<_, RunError>(InvokeOutput::text(answers.pop().unwrap())))
    };
    let output = rails.dyn_run("hello", &mut ctx, run).await.unwrap();
    assert_eq!(output.text, "answer");
    let expected =
        ["start hello 0", "run changed", "finished draft", "start hello 1", "run changed", "finished answer"];
    assert_eq!(notes(&ctx), expected);
}

#[tokio::test]
async fn a_retry_at_the_start_asks_again() {
    #[rail(priority = 20, on = [Start])]
    fn busy(ctx: &RailContext) -> RailAction {
        if ctx.attempt() > 0 {
            return RailAction::Continue;
        }
        RailAction::retry(RetryRequest::new("busy").with_delay(Duration::from_hours(1)))
    }
    let mut ctx = context().with_max_retry_delay(Duration::from_hours(1));
    tokio::time::pause();
    let output = rails![busy, started].dyn_run("hello", &mut ctx, tests::run).await.unwrap();
    assert_eq!(output.text, "changed");
    assert_eq!(notes(&ctx), ["start hello 0", "start hello 1", "run changed"]);
}

#[tokio::test(start_paused = true)]
async fn a_retry_waits_for_its_delay() {
    #[rail(priority = 10, on = [PostToolCall])]
    fn slow(ctx: &RailContext) -> RailAction {
        if ctx.attempt() == 2 {
            return RailAction::Continue;
        }
        let request = RetryRequest::new("wait").with_delay(Duration::from_mins(1)).with_max_retries(2);
        RailAction::retry(request)
    }
    let begin = tokio::time::Instant::now();
    rails![slow].dyn_tool_call(call(), &mut context(), tool).await.unwrap();
    // The clock stands still but for what is waited for.
    assert_eq!(begin.elapsed().as_secs(), 120);
}

#[tokio::test]
async fn the_attempt_begins_at_zero_for_each_operation() {
    #[rail(priority = 90, on = [PreLlmCall])]
    fn attempt_of_the_model_call(ctx: &RailContext) {
        note(ctx, format!("model call {}", ctx.attempt()));
    }
    let mut ctx = context();
    let rails = rails![after, attempt_of_the_model_call];
    rails.dyn_tool_call(call().with_arguments(json!({ "after": 1 })), &mut ctx, tool).await.unwrap();
    rails.dyn_llm_call(prompt("hello"), &mut ctx, tests::model).await.unwrap();
    assert_eq!(notes(&ctx)[4..], ["model call 0", "model hello"]);
}

#[rail(priority = 1, on = [PreToolCall])]
async fn asks_at_another_event(ctx: &RailContext) -> Result<(), RailFault> {
    let _ = rails![never].dispatch::<PostToolCall>((&call(), &mut ToolOutput::text("")), &mut ctx.child()).await?;
    Ok(())
}

#[rail(priority = 2, on = [PreToolCall])]
fn never_again() -> RailAction {
    RailAction::retry(RetryRequest::new("it would be no use").with_max_retries(0))
}

#[tokio::test]
async fn the_error_names_the_event_also_when_a_rail_has_run_another_in_a_child_of_its_context() {
    let rails = rails![asks_at_another_event, never_again];
    let error = rails.dyn_tool_call(call(), &mut context(), tool).await.unwrap_err();
    let RunError::RetriesExhausted(error) = error else { panic!("{error}") };
    assert_eq!((error.rail_name.as_str(), error.event), ("never_again", HookPoint::PreToolCall));
}

#[tokio::test]
async fn rails_of_one_name_in_two_blocks_have_their_own_counts() {
    let mut hooks = HookManager::new();
    {
        #[rail(on = [PreToolCall])]
        fn once(ctx: &RailContext) -> RailAction {
            if ctx.attempt() == 0 { RailAction::retry(RetryRequest::new("one")) } else { RailAction::Continue }
        }
        rail_chain![once].register(&mut hooks);
    }
    {
        #[rail(on = [PreToolCall])]
        fn once(ctx: &RailContext) -> RailAction {
            if ctx.attempt() == 1 { RailAction::retry(RetryRequest::new("two")) } else { RailAction::Continue }
        }
        rail_chain![once].register(&mut hooks);
    }
    assert!(hooks.dyn_tool_call(call(), &mut context(), tool).await.is_ok());
}
