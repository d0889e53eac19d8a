//! Aborts: the caller of the run learns which rail decided, where and why.

use exo_rails::prelude::*;
use exo_rails::{Reason, RetryRequest};
use tests::{GuardDyn, Model, asks_for, note, notes, prompt, rails, run_agent, tool};

#[rail(priority = 10, on = [PreToolCall])]
fn no_deletes(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "delete", "files are never deleted")
}

#[rail(priority = 90, on = [PreToolCall, PostToolCall])]
fn audit(ctx: &RailContext) {
    note(ctx, format!("audit {}", ctx.event()));
}

#[rail(priority = 10, on = [PostLlmCall])]
fn expensive(response: &ModelResponse) -> RailAction {
    let tokens = response.usage.as_ref().map_or(0, |usage| usage.total_tokens);
    if tokens > 100 { RailAction::abort(format!("{tokens} tokens are too many")) } else { RailAction::Continue }
}

#[rail(priority = 10, on = [Finished])]
fn no_secrets(output: &InvokeOutput) -> Verdict {
    Verdict::abort_if(output.text.contains("secret"), "the answer has a secret in it")
}

#[rail(priority = 10, on = [Start], name = "blank")]
fn gives_a_blank_reason() -> RailAction {
    RailAction::abort("  ")
}

#[tokio::test]
async fn an_abort_names_the_rail_that_decided() {
    let mut ctx = RunContext::new("abort");
    let call = ToolCallInputs::new("delete");
    let error = rails![audit, no_deletes].dyn_tool_call(call, &mut ctx, tool).await.unwrap_err();
    let RunError::Abort(abort) = error else { panic!("{error}") };
    assert_eq!((abort.rail_name.as_str(), abort.event), ("no_deletes", HookPoint::PreToolCall));
    assert_eq!(abort.reason, "files are never deleted");
    assert_eq!(abort.to_string(), "rail `no_deletes` aborted at pre_tool_call: files are never deleted");
    assert!(notes(&ctx).is_empty(), "neither later rails nor the tool run");
}

#[tokio::test]
async fn the_rail_is_named_behind_every_guard_set() {
    let mut manager = RailManager::new();
    manager.add(no_deletes {}).unwrap();
    let mut hooks = HookManager::new();
    rail_chain![no_deletes].register(&mut hooks);
    let manager = std::sync::Arc::new(manager);
    let mut hooked = HookManager::new();
    hooked.add(HookPoint::PreToolCall, manager.hook_for(HookPoint::PreToolCall));
    for error in [
        manager.dyn_tool_call(ToolCallInputs::new("delete"), &mut RunContext::new("m"), tool).await,
        hooks.dyn_tool_call(ToolCallInputs::new("delete"), &mut RunContext::new("h"), tool).await,
        hooked.dyn_tool_call(ToolCallInputs::new("delete"), &mut RunContext::new("mh"), tool).await,
    ] {
        assert!(matches!(error, Err(RunError::Abort(abort)) if abort.rail_name == "no_deletes"));
    }
}

#[tokio::test]
async fn the_error_of_an_abort_without_a_reason_says_that_it_has_none() {
    let mut ctx = RunContext::new("abort");
    let error = rails![gives_a_blank_reason].dyn_run("hello", &mut ctx, tests::run).await.unwrap_err();
    assert_eq!(error.to_string(), format!("rail `blank` aborted at start: {}", Reason::BLANK));
}

#[tokio::test]
async fn an_abort_in_a_tool_call_reaches_the_caller_of_the_run_as_it_is() {
    let mut ctx = RunContext::new("abort");
    let model = Model::new([asks_for(&["search", "delete", "search"]), ModelResponse::text("done")]);
    let error = run_agent(&rails![no_deletes], &model, "tidy up", &mut ctx).await.unwrap_err();
    assert!(matches!(error, RunError::Abort(abort) if abort.rail_name == "no_deletes"));
    assert_eq!(notes(&ctx), ["model after 1 messages", "tool search"]);
}

#[tokio::test]
async fn an_abort_of_one_tool_call_leaves_its_siblings_running() {
    let rails = &rails![no_deletes];
    let ctx = RunContext::new("abort");
    let calls = ["search", "delete", "read"].map(|name| {
        let mut ctx = sibling(&ctx);
        async move { rails.dyn_tool_call(ToolCallInputs::new(name), &mut ctx, slow).await }
    });
    let [search, delete, read] = calls;
    let (search, delete, read) = tokio::join!(search, delete, read);
    assert!(search.is_ok() && read.is_ok());
    assert!(matches!(delete, Err(RunError::Abort(abort)) if abort.rail_name == "no_deletes"));
}

fn sibling(ctx: &RailContext) -> RunContext {
    RunContext::new(ctx.agent()).with_run_id(ctx.run_id())
}

async fn slow(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    tests::yields(3).await;
    tool(call).await
}

#[tokio::test]
async fn a_rail_after_a_model_call_can_abort_because_of_its_usage() {
    let answer = |tokens| ModelResponse {
        usage: Some(exo_rails::message::Usage { total_tokens: tokens, ..Default::default() }),
        ..ModelResponse::text("hi")
    };
    let mut ctx = RunContext::new("abort");
    let cheap = rails![expensive].dyn_llm_call(prompt("hello"), &mut ctx, |_| done(answer(100))).await;
    assert_eq!(cheap.unwrap().message.text(), "hi");
    let dear = rails![expensive].dyn_llm_call(prompt("hello"), &mut ctx, |_| done(answer(101))).await;
    let message = "rail `expensive` aborted at post_llm_call: 101 tokens are too many";
    assert_eq!(dear.unwrap_err().to_string(), message);
}

async fn done(response: ModelResponse) -> Result<ModelResponse, OperationError> {
    Ok(response)
}

#[tokio::test]
async fn an_abort_of_the_finished_run_withholds_its_answer() {
    let mut ctx = RunContext::new("abort");
    let rails = rails![no_secrets];
    assert!(rails.dyn_run("hello", &mut ctx, tests::run).await.is_ok());
    let error = rails.dyn_run("a secret", &mut ctx, tests::run).await.unwrap_err();
    assert_eq!(error.to_string(), "rail `no_secrets` aborted at finished: the answer has a secret in it");
}

#[test]
fn decisions_are_values_with_defaults() {
    assert_eq!(RailAction::<exo_rails::NoSubstitute>::default(), RailAction::Continue);
    assert_eq!(Verdict::default(), Verdict::Continue);
    let request = RetryRequest::new("later");
    assert_eq!((request.delay, request.max_retries), (std::time::Duration::ZERO, 1));
    // A request is a plain value: what a rail does to its own copy changes no other.
    let changed = request.clone().with_max_retries(9);
    assert_eq!((request.max_retries, changed.max_retries), (1, 9));
}

/// At which event the run is to end with an answer.
#[derive(Clone, Copy, PartialEq)]
struct EndAt(HookPoint);

/// Ends the run there.
#[rail(
    priority = 20,
    on = [Start, PreLlmCall, LlmChunk, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, PreCompaction, Finished]
)]
fn end(ctx: &RailContext) -> Option<Ends> {
    (ctx.run.get::<EndAt>()? == EndAt(ctx.event()))
        .then(|| RailAction::abort_with(InvokeOutput::text("the end"), "it is enough"))
}

type Ends = RailAction<exo_rails::NoSubstitute, exo_rails::NoRetry>;

#[rail(priority = 10, on = [Finished])]
fn sign(output: &mut InvokeOutput, ctx: &RailContext) {
    note(ctx, format!("finished, {:?}", ctx.substituted_by().map(ToString::to_string)));
    output.text += ", signed";
}

#[rail(on = [events::Error])]
fn on_error(ctx: &RailContext) {
    note(ctx, "error");
}

/// A run with a compaction, a model call that fails, one that does not, a tool call that fails and one that does not.
async fn busy_run(rails: &impl GuardSet, run: Permit<InvokeInputs>) -> Result<InvokeOutput, RunError> {
    let mut ctx = run.context();
    let shorter = |_| async { Ok::<_, OperationError>(exo_rails::CompactionOutput::default()) };
    rails.guard_compaction(exo_rails::CompactionInputs::default(), &mut ctx, shorter).await?;
    match rails.guard_llm_call(prompt("hi"), &mut ctx, tests::broken_model).await {
        Err(RunError::Operation(_)) => {}
        other => drop(other?),
    }
    rails.guard_llm_call(prompt("hi"), &mut ctx, tests::model).await?;
    rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tests::broken_tool).await?;
    rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?;
    Ok(InvokeOutput::text("all is done"))
}

#[tokio::test]
async fn a_rail_ends_the_run_with_an_answer_from_any_event() {
    let rails = &rails![end, sign, on_error];
    for &at in end::EVENTS {
        let mut ctx = RunContext::new("abort");
        ctx.run.insert(EndAt(at));
        let output = rails.dyn_run("hi", &mut ctx, |run| busy_run(rails, run)).await.unwrap();
        let log = notes(&ctx);
        if at == HookPoint::Finished {
            // The answer of a rail that ends the run there is the answer as it stands.
            assert_eq!(output.text, "the end");
            continue;
        }
        assert_eq!(output.text, "the end, signed", "{at}");
        assert_eq!(log.last().unwrap(), "finished, Some(\"end\")", "{at}");
        assert!(!log.iter().any(|note| note == "error"), "{at}: {log:?}");
        assert_eq!(
            log.iter().any(|note| note.starts_with("tool")),
            at == HookPoint::PostToolCall && log.len() > 4,
            "{at}"
        );
    }
    let mut ctx = RunContext::new("abort");
    assert_eq!(rails.dyn_run("hi", &mut ctx, |run| busy_run(rails, run)).await.unwrap().text, "all is done, signed");
}

#[tokio::test]
async fn an_abort_outside_of_a_run_carries_the_answer_in_its_error() {
    let mut ctx = RunContext::new("abort");
    ctx.run.insert(EndAt(HookPoint::PreToolCall));
    let error = rails![end].dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap_err();
    let RunError::Abort(abort) = error else { panic!("{error}") };
    assert_eq!(abort.answer().unwrap().text, "the end");
}
