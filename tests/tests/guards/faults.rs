//! Faults: a rail that could not decide. It is no decision, and no failure of the operation.

use std::io;

use exo_rails::prelude::*;
use exo_rails::{FaultCause, OperationErrorKind, RailSkip};
use tests::{GuardDyn, Warnings, broken_tool, model, note, notes, prompt, rails, run, tool};

fn context() -> RunContext {
    RunContext::new("faults")
}

fn down() -> io::Error {
    io::Error::other("the policy server is down")
}

#[rail(priority = 20, on = [PreToolCall, PreLlmCall, Start])]
fn policy() -> Result<RailAction, io::Error> {
    Err(down())
}

#[rail(priority = 20, on = [PostToolCall, PostLlmCall, Finished])]
fn check_result() -> Result<Verdict, io::Error> {
    Err(down())
}

#[rail(priority = 20, on = [PreToolCall, PostToolCall, ToolError, events::Error])]
fn metrics(ctx: &RailContext) -> Result<(), &'static str> {
    note(ctx, format!("metrics {}", ctx.event()));
    Err("no connection")
}

#[rail(priority = 30, on = [PreToolCall, PostToolCall])]
fn later(ctx: &RailContext) -> RailAction {
    note(ctx, format!("later {}", ctx.event()));
    RailAction::Continue
}

#[rail(priority = 10, on = [ToolError, LlmError])]
fn retry_everything(ctx: &RailContext) -> RailAction {
    note(ctx, format!("retry at {}", ctx.event()));
    RailAction::retry(RetryRequest::new("whatever it was").with_max_retries(3))
}

#[rail(priority = 90, on = [events::Error])]
fn told(error: &RunError, ctx: &RailContext) {
    note(ctx, format!("told {error}"));
}

const POLICY_IS_DOWN: &str = "rail `policy` faulted at pre_tool_call: the policy server is down";

#[tokio::test]
async fn a_fault_before_a_tool_keeps_it_from_running() {
    let mut ctx = context();
    let rails = rails![later, policy];
    let error = rails.dyn_tool_call(ToolCallInputs::new("delete"), &mut ctx, tool).await.unwrap_err();
    let RunError::Fault(fault) = error else { panic!("{error}") };
    assert_eq!((fault.rail_name.as_str(), fault.event), ("policy", HookPoint::PreToolCall));
    assert_eq!(fault.to_string(), POLICY_IS_DOWN);
    assert!(notes(&ctx).is_empty(), "neither later rails nor the tool run");
}

#[tokio::test]
async fn a_fault_is_not_retried() {
    let mut ctx = context();
    let rails = rails![policy, retry_everything];
    for error in [
        rails.dyn_llm_call(prompt("hello"), &mut ctx, model).await.unwrap_err(),
        rails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap_err(),
        rails.dyn_run("hello", &mut ctx, run).await.unwrap_err(),
    ] {
        assert!(matches!(error, RunError::Fault(fault) if fault.rail_name == "policy"));
    }
    assert!(notes(&ctx).is_empty());
}

#[tokio::test]
async fn a_fault_after_an_operation_is_the_error_and_not_a_result() {
    let mut ctx = context();
    let rails = rails![check_result, retry_everything];
    let errors = [
        rails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap_err(),
        rails.dyn_llm_call(prompt("hello"), &mut ctx, model).await.unwrap_err(),
        rails.dyn_run("hello", &mut ctx, run).await.unwrap_err(),
    ];
    let points = [HookPoint::PostToolCall, HookPoint::PostLlmCall, HookPoint::Finished];
    for (error, point) in errors.into_iter().zip(points) {
        assert!(matches!(error, RunError::Fault(fault) if fault.rail_name == "check_result" && fault.event == point));
    }
    assert_eq!(notes(&ctx), ["tool search {}", "model hello", "run hello"], "each operation has happened once");
}

#[tokio::test]
async fn the_error_that_a_rail_returned_is_the_source_of_its_fault() {
    let call = ToolCallInputs::new("search");
    let error = rails![policy].dyn_tool_call(call, &mut context(), tool).await.unwrap_err();
    let RunError::Fault(fault) = error else { panic!("{error}") };
    let FaultCause::Error(cause) = &fault.cause else { panic!("{fault:?}") };
    assert_eq!(cause.downcast_ref::<io::Error>().map(io::Error::kind), Some(io::ErrorKind::Other));
}

#[tokio::test]
async fn an_observer_that_faults_is_logged_and_does_not_stop_the_run() {
    let (warnings, _guard) = Warnings::collect();
    let mut ctx = context();
    let rails = rails![metrics, later];
    let output = rails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    assert_eq!(output.content, "{}");
    let expected = [
        "metrics pre_tool_call",
        "later pre_tool_call",
        "tool search {}",
        "metrics post_tool_call",
        "later post_tool_call",
    ];
    assert_eq!(notes(&ctx), expected);
    let seen = warnings.seen();
    assert_eq!(seen.len(), 2);
    assert!(seen[0].contains("metrics") && seen[0].contains("pre_tool_call") && seen[0].contains("no connection"));
}

#[tokio::test]
async fn an_observer_that_faults_at_an_error_hides_nothing() {
    let (warnings, _guard) = Warnings::collect();
    let mut ctx = context();
    let rails = rails![metrics, told];
    let error = rails.dyn_run("hello", &mut ctx, tests::broken_run).await.unwrap_err();
    assert_eq!(error.to_string(), "the run is broken (failed)");
    assert_eq!(notes(&ctx), ["broken run", "metrics error", "told the run is broken (failed)"]);
    assert_eq!(warnings.seen().len(), 1);
    let output = rails.dyn_tool_call(ToolCallInputs::new("search"), &mut context(), broken_tool).await.unwrap();
    assert_eq!(output.error_kind, Some(OperationErrorKind::Other));
}

async fn unreliable_hook(_: Inputs<'_>, ctx: &mut RailContext) -> Result<(), &'static str> {
    note(ctx, "hook");
    Err("the hook has failed")
}

#[tokio::test]
async fn an_error_of_a_plain_hook_stops_the_run() {
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PreToolCall, unreliable_hook);
    rail_chain![later].register(&mut hooks);
    let mut ctx = context();
    let error = hooks.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap_err();
    let RunError::Fault(fault) = error else { panic!("{error}") };
    assert!(fault.rail_name.ends_with("unreliable_hook") && fault.cause.to_string() == "the hook has failed");
    assert_eq!(notes(&ctx), ["hook"]);
}

async fn aborts_everywhere(_: Inputs<'_>, ctx: &mut RailContext) -> RailAction {
    note(ctx, format!("hook at {}", ctx.event()));
    RailAction::abort("always")
}

async fn skips_with_an_output(_: Inputs<'_>, _: &mut RailContext) -> RailAction<ToolOutput> {
    RailAction::skip_with(ToolOutput::text("from the hook"), "a cache hit")
}

#[tokio::test]
async fn an_illegal_action_at_an_error_is_logged_and_does_not_hide_the_error() {
    let (warnings, _guard) = Warnings::collect();
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::Error, aborts_everywhere);
    let mut ctx = context();
    let error = hooks.dyn_run("hello", &mut ctx, tests::broken_run).await.unwrap_err();
    assert_eq!(error.to_string(), "the run is broken (failed)");
    assert_eq!(notes(&ctx), ["broken run", "hook at error"]);
    let seen = warnings.seen();
    assert!(seen.len() == 1 && seen[0].contains("the event does not allow a hook to abort"), "{seen:?}");
}

#[tokio::test]
async fn an_illegal_action_of_a_plain_hook_is_a_fault_that_names_it() {
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::Error, aborts_everywhere);
    let inputs = InvokeInputs::new("hello");
    let fault = hooks.dispatch::<events::Error>((&inputs, &RunError::Cancelled), &mut context()).await.unwrap_err();
    assert!(fault.rail_name.ends_with("aborts_everywhere"));
    assert!(matches!(fault.cause, FaultCause::IllegalAction { action: "abort" }));
}

#[tokio::test]
async fn a_substitute_of_the_wrong_type_is_a_fault() {
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PreToolCall, skips_with_an_output);
    hooks.add(HookPoint::PreLlmCall, skips_with_an_output);
    hooks.add(HookPoint::PostToolCall, skips_with_an_output);
    let mut ctx = context();
    let mut call = ToolCallInputs::new("search");
    let decision = hooks.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap();
    let Decision::Skip(RailSkip { substitute: Some(output), .. }) = decision else { panic!("{decision:?}") };
    assert_eq!(output.content, "from the hook");
    let before_the_model = hooks.dispatch::<PreLlmCall>(&mut prompt("hello"), &mut ctx).await.unwrap_err();
    assert!(matches!(before_the_model.cause, FaultCause::WrongSubstitute { .. }));
    let after_the_tool =
        hooks.dispatch::<PostToolCall>((&call, &mut ToolOutput::text("")), &mut ctx).await.unwrap_err();
    assert!(matches!(after_the_tool.cause, FaultCause::WrongSubstitute { .. }));
}

#[rail(priority = 30, on = [PostToolCall])]
fn redact(output: &mut ToolOutput) -> Result<(), &'static str> {
    if output.content.is_empty() { Ok(()) } else { Err("the patterns cannot be read") }
}

#[tokio::test]
async fn a_fault_of_a_rail_that_changes_the_payload_ends_the_run() {
    let call = ToolCallInputs::new("search");
    let mut manager = RailManager::new();
    manager.add(redact {}).unwrap();
    for error in [
        rails![redact].dyn_tool_call(call.clone(), &mut context(), tool).await.unwrap_err(),
        manager.dyn_tool_call(call, &mut context(), tool).await.unwrap_err(),
    ] {
        assert_eq!(error.to_string(), "rail `redact` faulted at post_tool_call: the patterns cannot be read");
    }
}
