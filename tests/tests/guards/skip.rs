//! Skips: the operation does not happen, and something stands in for its result.

use exo_rails::DynGuardSet;
use exo_rails::prelude::*;
use serde_json::json;
use tests::{GuardDyn, broken_model, broken_tool, model, note, notes, prompt, rails, run, tool};

fn context() -> RunContext {
    RunContext::new("skip")
}

#[rail(priority = 15, on = [PreToolCall])]
fn allowed_tools(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "search" { RailAction::Continue } else { RailAction::skip("it is not on the list") }
}

#[rail(priority = 15, on = [PreToolCall, ToolError])]
fn tool_substitute() -> RailAction<ToolOutput> {
    RailAction::skip_with(ToolOutput::text("from the cache"), "a cache hit")
}

#[rail(priority = 15, on = [PreLlmCall, LlmError])]
fn model_substitute() -> RailAction<ModelResponse> {
    RailAction::skip_with(ModelResponse::text("from the other provider"), "a fallback")
}

#[rail(priority = 15, on = [PreLlmCall])]
fn no_model() -> RailAction {
    RailAction::skip("the budget is spent")
}

#[rail(priority = 15, on = [Start])]
fn run_substitute() -> RailAction<InvokeOutput> {
    RailAction::skip_with(InvokeOutput::text("asked before"), "a cache hit")
}

#[rail(priority = 15, on = [Start])]
fn no_run() -> RailAction {
    RailAction::skip("closed today")
}

#[rail(priority = 20, on = [PreToolCall, PreLlmCall, Start])]
fn later_rail(ctx: &RailContext) {
    note(ctx, "later rail");
}

#[rail(priority = 90, on = [PostToolCall])]
fn audit_tool(output: &ToolOutput, ctx: &RailContext) {
    note(ctx, format!("post: {}", output.content));
}

#[rail(priority = 90, on = [PostLlmCall])]
fn audit_model(response: &ModelResponse, ctx: &RailContext) {
    note(ctx, format!("post: {}", response.message.text()));
}

#[rail(priority = 90, on = [Finished])]
fn audit_run(output: &InvokeOutput, ctx: &RailContext) {
    note(ctx, format!("finished: {}", output.text));
}

#[tokio::test]
async fn a_skip_keeps_the_tool_from_running() {
    let mut ctx = context();
    let rails = rails![allowed_tools, later_rail, audit_tool];
    let output = rails.dyn_tool_call(ToolCallInputs::new("delete"), &mut ctx, tool).await.unwrap();
    let told = "The call of `delete` was skipped by the rail `allowed_tools`: it is not on the list";
    assert_eq!((output.content.as_str(), output.is_error), (told, true));
    assert_eq!(notes(&ctx), [format!("post: {told}")], "later rails and the tool do not run, the post event does");
}

#[tokio::test]
async fn a_tool_that_is_not_skipped_runs() {
    let mut ctx = context();
    let call = ToolCallInputs::new("search");
    let output = rails![allowed_tools].dyn_tool_call(call, &mut ctx, tool).await.unwrap();
    assert_eq!((output.content.as_str(), output.is_error), ("{}", false));
    assert_eq!(notes(&ctx), ["tool search {}"]);
}

#[tokio::test]
async fn a_substitute_replaces_the_output_of_a_tool() {
    let mut ctx = context();
    let rails = rails![tool_substitute, audit_tool];
    let output = rails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    assert_eq!(output, ToolOutput::text("from the cache"));
    assert_eq!(notes(&ctx), ["post: from the cache"]);
}

#[tokio::test]
async fn a_substitute_replaces_the_answer_of_the_model() {
    let mut ctx = context();
    let rails = rails![model_substitute, later_rail, audit_model];
    let response = rails.dyn_llm_call(prompt("hello"), &mut ctx, model).await.unwrap();
    assert_eq!(response.message.text(), "from the other provider");
    assert_eq!(notes(&ctx), ["post: from the other provider"]);
}

#[tokio::test]
async fn a_skipped_model_call_yields_an_empty_answer_that_ends_the_loop() {
    let mut ctx = context();
    let response = rails![no_model, audit_model].dyn_llm_call(prompt("hello"), &mut ctx, model).await.unwrap();
    assert_eq!(response.message.role, exo_rails::message::Role::Assistant);
    assert!(response.message.content.is_none() && response.message.tool_calls.is_empty());
    assert_eq!(response.extra["skipped"], json!({ "by": "no_model", "reason": "the budget is spent" }));
    assert_eq!(notes(&ctx), ["post: "]);
}

#[tokio::test]
async fn the_output_of_an_agent_says_why_it_is_empty() {
    let model: exo_rails_agent::ScriptedModel = r#"[{ "say": "never said" }]"#.parse().unwrap();
    let output =
        tests::agent("skip", model).rails(DynGuardSet::from(rails![no_model])).build().run("hello").await.unwrap();
    assert_eq!(output.text, "");
    assert_eq!(output.extra["skipped"]["by"], "no_model");
}

#[tokio::test]
async fn a_substitute_ends_a_run_before_it_begins() {
    let mut ctx = context();
    let output = rails![run_substitute, later_rail, audit_run].dyn_run("again", &mut ctx, run).await.unwrap();
    assert_eq!(output.text, "asked before");
    assert_eq!(notes(&ctx), ["finished: asked before"]);
}

#[tokio::test]
async fn a_run_that_is_skipped_without_a_substitute_has_an_empty_output() {
    let mut ctx = context();
    let output = rails![no_run, audit_run].dyn_run("hello", &mut ctx, run).await.unwrap();
    assert_eq!(output.text, "");
    assert_eq!(output.extra["skipped"], json!({ "by": "no_run", "reason": "closed today" }));
    assert_eq!(notes(&ctx), ["finished: "]);
}

#[tokio::test]
async fn a_failed_tool_call_is_rescued_by_a_substitute() {
    #[rail(priority = 15, on = [ToolError])]
    fn rescue(error: &OperationError) -> RailAction<ToolOutput> {
        RailAction::skip_with(ToolOutput::text(format!("instead of \"{}\"", error.message)), "a fallback")
    }
    let mut ctx = context();
    let rails = rails![rescue, audit_tool];
    let output = rails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, broken_tool).await.unwrap();
    assert_eq!(output.content, "instead of \"the tool is broken\"");
    assert_eq!(notes(&ctx), ["broken tool search", "post: instead of \"the tool is broken\""]);
}

#[tokio::test]
async fn a_skip_without_a_substitute_does_not_hide_a_failure() {
    #[rail(priority = 15, on = [ToolError, LlmError])]
    fn give_up() -> RailAction {
        RailAction::skip("it does not matter")
    }
    #[rail(priority = 20, on = [ToolError, LlmError])]
    fn later(ctx: &RailContext) {
        note(ctx, "later rail");
    }
    let (rails, mut ctx) = (rails![give_up, later, audit_tool, audit_model], context());
    let output = rails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, broken_tool).await.unwrap();
    assert!(output.is_error && output.content.contains("the tool is broken"), "{output:?}");
    let error = rails.dyn_llm_call(prompt("hello"), &mut ctx, broken_model).await.unwrap_err();
    assert!(matches!(error, RunError::Operation(_)));
    let told = "post: The call of `search` failed: the tool is broken (failed)";
    let expected = ["broken tool search", told, "broken model"];
    assert_eq!(notes(&ctx), expected, "no later rail; the failure of the tool is its output, that of the model is not");
}

#[tokio::test]
async fn a_failed_model_call_is_rescued_by_another_provider() {
    #[rail(priority = 15, on = [LlmError])]
    fn fallback() -> RailAction<ModelResponse> {
        RailAction::skip_with(ModelResponse::text("from the other provider"), "a fallback")
    }
    let mut ctx = context();
    let rails = rails![fallback, audit_model];
    let response = rails.dyn_llm_call(prompt("hello"), &mut ctx, broken_model).await.unwrap();
    assert_eq!(response.message.text(), "from the other provider");
    assert_eq!(notes(&ctx), ["broken model", "post: from the other provider"]);
}

#[tokio::test]
async fn a_skip_after_an_operation_accepts_its_result_and_stops_later_rails() {
    #[rail(priority = 20, on = [PostToolCall, PostLlmCall, Finished])]
    fn accept(ctx: &RailContext) -> RailAction {
        note(ctx, format!("accept {}", ctx.event()));
        RailAction::skip("good enough")
    }
    let mut ctx = context();
    let rails = rails![accept, audit_tool, audit_model, audit_run];
    let output = rails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    let response = rails.dyn_llm_call(prompt("hello"), &mut ctx, model).await.unwrap();
    let answer = rails.dyn_run("hello", &mut ctx, run).await.unwrap();
    assert_eq!(
        (output.content.as_str(), response.message.text().as_ref(), answer.text.as_str()),
        ("{}", "hello", "hello")
    );
    let accepted: Vec<_> = notes(&ctx).into_iter().filter(|note| note.starts_with("accept")).collect();
    assert_eq!(accepted, ["accept post_tool_call", "accept post_llm_call", "accept finished"]);
    assert!(!notes(&ctx).iter().any(|note| note.starts_with("post") || note.starts_with("finished")));
}

#[tokio::test]
async fn a_rail_sees_the_substitute_of_a_skip_before_the_caller_does() {
    #[rail(priority = 15, on = [PostToolCall])]
    fn redact(output: &mut ToolOutput) {
        output.content = output.content.replace("cache", "[hidden]");
    }
    let call = ToolCallInputs::new("search");
    let output = rails![tool_substitute, redact].dyn_tool_call(call, &mut context(), tool).await.unwrap();
    assert_eq!(output.content, "from the [hidden]");
}
