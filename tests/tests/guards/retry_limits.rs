//! What happens when retries are used up, what bounds them, and what they tell the model.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::message::Message;
use exo_rails::prelude::*;
use exo_rails::{GuardSet, NoRails, NoSubstitute, RetryLimit, RetryOrContinue};
use tests::{GuardDyn, note, notes, prompt, rails, tool};

type OrContinue = RailAction<NoSubstitute, RetryOrContinue>;

fn request(max_retries: u32) -> RetryRequest {
    RetryRequest::new("down").with_max_retries(max_retries)
}

fn context() -> RunContext {
    RunContext::new("retry limits")
}

fn broken(kind: OperationErrorKind) -> OperationError {
    OperationError::new(kind, "out of order").with_status(503)
}

/// A model that always fails, and counts its calls.
async fn ask(rails: &dyn GuardSet, ctx: &mut RunContext) -> (u32, Result<ModelResponse, RunError>) {
    let mut calls = 0;
    let model = |_| {
        calls += 1;
        async { Err::<ModelResponse, _>(broken(OperationErrorKind::Unavailable)) }
    };
    let result = (&rails).guard_llm_call(prompt("hi"), ctx, model).await;
    (calls, result)
}

#[rail(priority = 10, on = [LlmError])]
fn ask_again(ctx: &RailContext) -> OrContinue {
    note(ctx, format!("ask again {}", ctx.attempt()));
    RailAction::retry_or_continue(request(2))
}

#[rail(priority = 20, on = [LlmError])]
fn fall_back(ctx: &RailContext) -> RailAction<ModelResponse> {
    note(ctx, "fall back");
    RailAction::skip_with(ModelResponse::text("call us"), "the model is down")
}

rail_chain! {
    /// Retries, then falls back.
    #[derive(Clone, Copy)]
    struct Careful { ask_again, fall_back }
}

fn manager() -> RailManager {
    let mut manager = RailManager::new();
    manager.add(ask_again {}).unwrap();
    manager.add(fall_back {}).unwrap();
    manager
}

fn hooks() -> HookManager {
    let mut hooks = HookManager::new();
    Careful.register(&mut hooks);
    hooks
}

rail_chain! {
    #[chain(trace)]
    struct Traced { ask_again, fall_back }
}

#[tokio::test]
async fn the_next_rail_decides_when_retries_are_used_up() {
    async fn check(set: &str, rails: &dyn GuardSet) {
        // Twice in one context: an operation begins with all of its retries.
        let mut ctx = context();
        for _ in 0..2 {
            let (calls, result) = ask(rails, &mut ctx).await;
            assert_eq!(calls, 3, "{set}");
            assert_eq!(result.unwrap().message.text(), "call us", "{set}");
            assert_eq!(
                ctx.substituted_by().map(|rail| rail.to_string().replace("careful.", "")).as_deref(),
                Some("fall_back")
            );
        }
        let once = ["ask again 0", "ask again 1", "ask again 2", "fall back"];
        assert_eq!(notes(&ctx), [once, once].concat(), "{set}");
    }
    rail_chain! { struct Outer { careful: Careful } }
    rail_chain! { struct Wrapped { careful: Arc<Careful>, absent: Option<Careful> } }
    check("chain", &Careful).await;
    check("traced", &Traced).await;
    check("manager", &manager()).await;
    check("hooks", &hooks()).await;
    check("nested", &Outer { careful: Careful }).await;
    check("wrapped", &Wrapped { careful: Arc::new(Careful), absent: None }).await;
    check("bus", &exo_rails::EventBus::new(8).wrap(Careful)).await;
}

#[tokio::test]
async fn the_same_chain_at_two_places_has_its_retries_twice() {
    #[rail(priority = 90, on = [LlmError])]
    fn last() -> RailAction<ModelResponse> {
        RailAction::skip_with(ModelResponse::text("call us"), "the model is down")
    }
    rail_chain! { struct AskAgain { ask_again } }
    rail_chain! { struct Twice { first: AskAgain, second: AskAgain, last } }
    let rails = Twice { first: AskAgain, second: AskAgain };
    let mut ctx = context();
    let (calls, result) = ask(&rails, &mut ctx).await;
    assert_eq!((calls, result.unwrap().message.text().as_ref()), (5, "call us"));
    let mut managed = RailManager::new();
    managed.add_named("first", AskAgain).unwrap();
    managed.add_named("second", AskAgain).unwrap();
    managed.add(last {}).unwrap();
    assert_eq!(ask(&managed, &mut context()).await.0, 5);
}

#[tokio::test]
async fn the_next_rail_decides_at_once_if_no_retry_is_allowed() {
    #[rail(priority = 10, on = [LlmError])]
    fn never(error: &OperationError) -> Result<Option<OrContinue>, String> {
        if error.message.is_empty() {
            Err("no message".into())
        } else {
            Ok(Some(RailAction::retry_or_continue(request(0))))
        }
    }
    let (calls, result) = ask(&rails![never, fall_back], &mut context()).await;
    assert_eq!((calls, result.unwrap().message.text().as_ref()), (1, "call us"));
    // The last rail gives way as well: then the failure is what it was.
    let (calls, result) = ask(&rails![never], &mut context()).await;
    assert_eq!(calls, 1);
    assert!(matches!(result, Err(RunError::Operation(error)) if error.kind == OperationErrorKind::Unavailable));
}

#[tokio::test]
async fn the_next_rail_decides_when_retries_of_a_concurrent_rail_are_used_up() {
    #[rail(priority = 10, on = [PreToolCall], concurrent)]
    async fn again() -> OrContinue {
        tokio::task::yield_now().await;
        RailAction::retry_or_continue(request(1))
    }
    #[rail(priority = 20, on = [PreToolCall], concurrent)]
    async fn refuse() -> RailAction {
        RailAction::skip("refused")
    }
    let mut ctx = context();
    let rails = rail_chain![
        #[chain(concurrent)]
        again,
        refuse
    ];
    let output = rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    assert!(output.content.ends_with("skipped by the rail `refuse`: refused"), "{}", output.content);
    assert_eq!(ctx.attempt(), 1);
}

#[tokio::test]
async fn a_run_has_one_budget_for_all_retries() {
    #[rail(on = [LlmError])]
    fn again() -> RailAction {
        RailAction::retry(request(3))
    }
    #[rail(on = [Finished])]
    fn once_more() -> OrContinue {
        RailAction::retry_or_continue(request(3))
    }
    for (budget, expected) in [(None, 16), (Some(9), 10), (Some(2), 3), (Some(0), 1)] {
        let calls = AtomicU32::new(0);
        let rails = &rails![again, once_more];
        let calls = &calls;
        let run = |run: Permit<InvokeInputs>| async move {
            let model = |_| {
                calls.fetch_add(1, Ordering::Relaxed);
                async { Err::<ModelResponse, _>(broken(OperationErrorKind::RateLimited)) }
            };
            match rails.dyn_llm_call(prompt("hi"), &mut run.context(), model).await {
                Err(RunError::RetriesExhausted(_)) => Ok(InvokeOutput::text("nothing")),
                other => Err(RunError::Operation(format!("{other:?}").into())),
            }
        };
        let ctx = context();
        let mut ctx = match budget {
            None => ctx,
            Some(budget) => ctx.with_max_retries(budget),
        };
        assert_eq!(rails.dyn_run("hi", &mut ctx, run).await.unwrap().text, "nothing");
        assert_eq!(calls.load(Ordering::Relaxed), expected, "{budget:?}");
    }
}

#[tokio::test]
async fn an_error_about_used_up_retries_contains_the_last_failure() {
    #[rail(on = [LlmError, ToolError])]
    fn again() -> RailAction {
        RailAction::retry(request(1))
    }
    let (_, result) = ask(&rails![again], &mut context()).await;
    let error = result.unwrap_err();
    assert_eq!(
        error.failure().map(|failure| (failure.kind, failure.status)),
        Some((OperationErrorKind::Unavailable, Some(503)))
    );
    assert!(error.source().unwrap().downcast_ref::<OperationError>().is_some());
    assert_eq!(
        error.to_string(),
        "rail `again` wants a retry at llm_error but has none left (2 attempted, 1 retries allowed): down"
    );
    // Inside another operation, it is a failure of the same kind.
    assert_eq!(OperationError::from(error).kind, OperationErrorKind::Unavailable);

    let mut failures = vec![broken(OperationErrorKind::Timeout), broken(OperationErrorKind::RateLimited)].into_iter();
    let failing = |_| std::future::ready(Err::<ToolOutput, _>(failures.next().unwrap()));
    let result = rails![again].dyn_tool_call(ToolCallInputs::new("search"), &mut context(), failing).await;
    assert_eq!(result.unwrap_err().failure().unwrap().kind, OperationErrorKind::RateLimited, "the last one");
}

#[tokio::test]
async fn an_error_about_retries_of_a_tool_contains_its_failure() {
    #[rail(on = [PostToolCall])]
    fn more() -> RailAction {
        RailAction::retry(request(0))
    }
    #[rail(on = [PostToolCall])]
    fn again(output: &ToolOutput) -> RailAction {
        if output.is_error { RailAction::retry(request(1)) } else { RailAction::Continue }
    }
    let failing = |_| async { Err::<ToolOutput, _>(broken(OperationErrorKind::Timeout)) };
    let result = rails![again].dyn_tool_call(ToolCallInputs::new("search"), &mut context(), failing).await;
    assert_eq!(result.unwrap_err().failure().unwrap().kind, OperationErrorKind::Timeout);
    // What a rail does not accept is not a failure.
    let result = rails![more].dyn_tool_call(ToolCallInputs::new("search"), &mut context(), tool).await;
    let error = result.unwrap_err();
    assert!(error.failure().is_none() && error.source().is_none());
    let RunError::RetriesExhausted(error) = error else { panic!("{error}") };
    assert_eq!((error.attempts, error.limit), (1, RetryLimit::Rail { max_retries: 0 }));
}

/// The texts of the messages of each model call.
async fn told(rails: &impl GuardSet) -> Vec<Vec<String>> {
    let calls = std::sync::Mutex::new(Vec::new());
    let model = |request: Permit<ModelCallInputs>| {
        calls.lock().unwrap().push(request.messages.iter().map(|message| message.text().into_owned()).collect());
        async { Ok::<_, OperationError>(ModelResponse::text("no")) }
    };
    drop(rails.guard_llm_call(prompt("hi"), &mut context(), model).await);
    calls.into_inner().unwrap()
}

#[tokio::test]
async fn the_model_reads_the_feedback_of_a_retry() {
    #[rail(on = [PostLlmCall])]
    fn not_good(ctx: &RailContext) -> RailAction {
        let feedback = Message::user(format!("not good {}", ctx.attempt()));
        RailAction::retry(request(2).with_feedback(feedback))
    }
    #[rail(on = [PreLlmCall])]
    fn rewrite(request: &mut ModelCallInputs, ctx: &RailContext) {
        request.messages.push(Message::user(format!("rewritten {}", ctx.attempt())));
    }
    assert_eq!(
        told(&rails![not_good]).await,
        [vec!["hi"], vec!["hi", "not good 0"], vec!["hi", "not good 0", "not good 1"]]
    );
    // What a rail has rewritten is undone, the feedback stays.
    assert_eq!(
        told(&rails![not_good, rewrite]).await,
        [
            vec!["hi", "rewritten 0"],
            vec!["hi", "not good 0", "rewritten 1"],
            vec!["hi", "not good 0", "not good 1", "rewritten 2"],
        ]
    );
}

#[tokio::test]
async fn feedback_on_a_tool_call_waits_for_the_next_model_call() {
    #[rail(on = [PostToolCall])]
    fn not_good() -> RailAction {
        RailAction::retry(request(1).with_feedback(Message::system("the tool is slow")))
    }
    let mut ctx = context();
    drop(rails![not_good].dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await);
    assert_eq!(ctx.take_notices(), [Message::system("the tool is slow")]);
}

#[tokio::test]
async fn a_model_call_of_a_rail_does_not_receive_messages_for_the_run() {
    #[rail(on = [PreLlmCall])]
    async fn judge(ctx: &RailContext) -> Result<Verdict, RunError> {
        let judge = |request: Permit<ModelCallInputs>| async move {
            assert!(request.messages.is_empty());
            Ok::<_, OperationError>(ModelResponse::text("fine"))
        };
        ctx.notify_model(Message::user("from the judge"));
        NoRails.dyn_llm_call(ModelCallInputs::default(), &mut ctx.child(), judge).await?;
        Ok(Verdict::Continue)
    }
    let mut ctx = context();
    ctx.notify_model(Message::user("first"));
    ctx.notify_model(Message::user("second"));
    let rails = &rails![judge];
    let run = |run: Permit<InvokeInputs>| async move {
        let (mut ctx, mut seen) = (run.context(), Vec::new());
        for _ in 0..2 {
            let model = |request: Permit<ModelCallInputs>| {
                seen.extend(request.messages.iter().map(|message| message.text().into_owned()));
                async { Ok::<_, OperationError>(ModelResponse::text("done")) }
            };
            rails.dyn_llm_call(prompt("hi"), &mut ctx, model).await?;
        }
        Ok::<_, RunError>(InvokeOutput::text(seen.join(", ")))
    };
    let output = rails.dyn_run("hi", &mut ctx, run).await.unwrap();
    assert_eq!(output.text, "hi, first, second, hi, from the judge");
}

#[tokio::test]
async fn a_model_call_inside_a_tool_does_not_receive_messages_for_the_run() {
    let mut ctx = context();
    ctx.notify_model(Message::user("for the run"));
    let sub_agent = |call: Permit<ToolCallInputs>| async move {
        let run = |run: Permit<InvokeInputs>| async move {
            let model = |request: Permit<ModelCallInputs>| async move {
                assert_eq!(request.messages.len(), 1);
                Ok::<_, OperationError>(ModelResponse::text("done"))
            };
            NoRails.dyn_llm_call(prompt("hi"), &mut run.context(), model).await?;
            Ok::<_, RunError>(InvokeOutput::text("done"))
        };
        let output = NoRails.dyn_run("hi", &mut call.context(), run).await?;
        Ok::<_, OperationError>(ToolOutput::text(output.text))
    };
    let output = NoRails.dyn_tool_call(ToolCallInputs::new("ask"), &mut ctx, sub_agent).await.unwrap();
    assert_eq!(output.content, "done");
    assert_eq!(ctx.take_notices().len(), 1);
}
