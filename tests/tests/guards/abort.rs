//! Aborts: who decided, where and why reaches whoever started the run.

use exo_rails::prelude::*;
use exo_rails::{Reason, RetryRequest};
use tests::{Model, asks_for, note, notes, prompt, run_agent, tool};

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
    let error = rail_chain![audit, no_deletes].guard_tool_call(call, &mut ctx, tool).await.unwrap_err();
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
        manager.guard_tool_call(ToolCallInputs::new("delete"), &mut RunContext::new("m"), tool).await,
        hooks.guard_tool_call(ToolCallInputs::new("delete"), &mut RunContext::new("h"), tool).await,
        hooked.guard_tool_call(ToolCallInputs::new("delete"), &mut RunContext::new("mh"), tool).await,
    ] {
        assert!(matches!(error, Err(RunError::Abort(abort)) if abort.rail_name == "no_deletes"));
    }
}

#[tokio::test]
async fn an_abort_without_a_reason_says_so() {
    let mut ctx = RunContext::new("abort");
    let error = rail_chain![gives_a_blank_reason].guard_run("hello", &mut ctx, tests::run).await.unwrap_err();
    assert_eq!(error.to_string(), format!("rail `blank` aborted at start: {}", Reason::BLANK));
}

#[tokio::test]
async fn an_abort_in_a_tool_call_reaches_the_caller_of_the_run_as_it_is() {
    let mut ctx = RunContext::new("abort");
    let model = Model::new([asks_for(&["search", "delete", "search"]), ModelResponse::text("done")]);
    let error = run_agent(&rail_chain![no_deletes], &model, "tidy up", &mut ctx).await.unwrap_err();
    assert!(matches!(error, RunError::Abort(abort) if abort.rail_name == "no_deletes"));
    assert_eq!(notes(&ctx), ["model after 1 messages", "tool search"]);
}

#[tokio::test]
async fn an_abort_of_one_tool_call_leaves_its_siblings_running() {
    let rails = &rail_chain![no_deletes];
    let ctx = RunContext::new("abort");
    let calls = ["search", "delete", "read"].map(|name| {
        let mut ctx = sibling(&ctx);
        async move { rails.guard_tool_call(ToolCallInputs::new(name), &mut ctx, slow).await }
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
async fn an_abort_after_a_model_call_sees_what_the_call_has_cost() {
    let answer = |tokens| ModelResponse {
        usage: Some(exo_rails::message::Usage { total_tokens: tokens, ..Default::default() }),
        ..ModelResponse::text("hi")
    };
    let mut ctx = RunContext::new("abort");
    let cheap = rail_chain![expensive].guard_llm_call(prompt("hello"), &mut ctx, |_| done(answer(100))).await;
    assert_eq!(cheap.unwrap().message.text(), "hi");
    let dear = rail_chain![expensive].guard_llm_call(prompt("hello"), &mut ctx, |_| done(answer(101))).await;
    let message = "rail `expensive` aborted at post_llm_call: 101 tokens are too many";
    assert_eq!(dear.unwrap_err().to_string(), message);
}

async fn done(response: ModelResponse) -> Result<ModelResponse, OperationError> {
    Ok(response)
}

#[tokio::test]
async fn an_abort_of_the_finished_run_withholds_its_answer() {
    let mut ctx = RunContext::new("abort");
    let rails = rail_chain![no_secrets];
    assert!(rails.guard_run("hello", &mut ctx, tests::run).await.is_ok());
    let error = rails.guard_run("a secret", &mut ctx, tests::run).await.unwrap_err();
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
