//! Rails on an agent.

use exo_rails::prelude::*;
use exo_rails::{NoRails, OperationErrorKind};
use exo_rails_agent::{ScriptError, ScriptedModel};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tests::{Model, asks_for, note, notes, rails, run_agent};

fn context() -> RunContext {
    RunContext::new("agent")
}

/// A model that asks for these tools, then answers.
fn model(tools: &[&str]) -> Model {
    Model::new([asks_for(tools), ModelResponse::text("done")])
}

#[rail(priority = 10, on = [PreToolCall])]
fn security(call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
    note(ctx, format!("security {}", call.tool_name));
    if call.tool_name == "delete" { RailAction::abort("off limits") } else { RailAction::Continue }
}

#[rail(priority = 50, on = [PreToolCall])]
fn log(call: &ToolCallInputs, ctx: &RailContext) {
    note(ctx, format!("log {}", call.tool_name));
}

#[rail(priority = 15, on = [PreToolCall])]
fn only_search(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "search" { RailAction::Continue } else { RailAction::skip("only search is allowed") }
}

#[tokio::test]
async fn an_agent_without_rails_just_runs() {
    let mut ctx = context();
    let output = run_agent(&NoRails, &model(&["search"]), "hello", &mut ctx).await.unwrap();
    assert_eq!((output.text.as_str(), output.steps), ("done", 2));
    let expected = ["model after 1 messages", "tool search", "model after 3 messages"];
    assert_eq!(notes(&ctx), expected);
    let mut ctx = context();
    run_agent(&rails![], &model(&["search"]), "hello", &mut ctx).await.unwrap();
    assert_eq!(notes(&ctx), expected);
}

#[tokio::test]
async fn hooks_and_rails_both_fire() {
    async fn plain(inputs: Inputs<'_>, ctx: &mut RailContext) {
        note(ctx, format!("plain {}", inputs.point()));
    }
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PreToolCall, plain);
    hooks.add(HookPoint::Finished, plain);
    rail_chain![log, security].register(&mut hooks);
    let mut ctx = context();
    run_agent(&hooks, &model(&["search"]), "hello", &mut ctx).await.unwrap();
    let calls: Vec<_> = notes(&ctx).into_iter().filter(|note| !note.starts_with("model")).collect();
    assert_eq!(calls, ["plain pre_tool_call", "security search", "log search", "tool search", "plain finished"]);
}

#[tokio::test]
async fn priorities_order_the_rails_of_an_agent() {
    let mut ctx = context();
    run_agent(&rails![log, security], &model(&["search"]), "hello", &mut ctx).await.unwrap();
    assert_eq!(notes(&ctx)[1..4], ["security search", "log search", "tool search"]);
}

#[tokio::test]
async fn an_abort_stops_the_second_rail_the_tool_and_the_run() {
    let mut ctx = context();
    let error = run_agent(&rails![log, security], &model(&["delete"]), "hello", &mut ctx).await.unwrap_err();
    assert!(matches!(error, RunError::Abort(abort) if abort.rail_name == "security"));
    assert_eq!(notes(&ctx), ["model after 1 messages", "security delete"]);
}

#[tokio::test]
async fn a_skipped_tool_does_not_run_and_the_other_one_does() {
    let script = r#"[{ "call": [{ "tool": "delete" }, { "tool": "search" }] }, { "say": "done" }]"#;
    let run =
        exo_rails_agent::testing::run(rails![only_search], script).tool("delete", "gone").tool("search", "found").await;
    run.assert_output("done").assert_calls("delete", 0).assert_calls("search", 1);
    run.assert_told("The call of `delete` was skipped by the rail `only_search`: only search is allowed");
}

#[tokio::test]
async fn a_rail_sees_each_answer_of_the_model() {
    #[rail(priority = 10, on = [PostLlmCall])]
    fn answers(response: &ModelResponse, ctx: &RailContext) {
        let tools = response.message.tool_calls.len();
        note(ctx, format!("answer at step {}: {:?}, {tools} calls", ctx.step(), response.message.text()));
    }
    let mut ctx = context();
    run_agent(&rails![answers], &model(&["search", "read"]), "hello", &mut ctx).await.unwrap();
    let answers: Vec<_> = notes(&ctx).into_iter().filter(|note| note.starts_with("answer")).collect();
    assert_eq!(answers, ["answer at step 0: \"\", 2 calls", "answer at step 1: \"done\", 0 calls"]);
}

#[tokio::test]
async fn a_skipped_model_call_ends_the_loop() {
    #[rail(priority = 10, on = [PreLlmCall])]
    fn one_step(ctx: &RailContext) -> RailAction {
        if ctx.step() > 0 { RailAction::skip("one step is enough") } else { RailAction::Continue }
    }
    let mut ctx = context();
    let output = run_agent(&rails![one_step], &model(&["search"]), "hello", &mut ctx).await.unwrap();
    assert_eq!(output.text, "");
    assert_eq!(notes(&ctx), ["model after 1 messages", "tool search"]);
}

#[tokio::test]
async fn the_rails_see_a_call_of_an_unknown_tool_and_its_failure() {
    #[rail(priority = 10, on = [ToolError])]
    fn failed(call: &ToolCallInputs, error: &OperationError, ctx: &RailContext) {
        assert_eq!(error.kind, OperationErrorKind::NotFound);
        note(ctx, format!("{}: {}", call.tool_name, error.message));
    }
    let mut ctx = context();
    let output = run_agent(&rails![log, failed], &model(&["unknown"]), "hello", &mut ctx).await.unwrap();
    assert_eq!(output.text, "done", "the model reads the error and goes on");
    let failure = "unknown: there is no tool `unknown`; the tools are `search`, `read`, `delete`";
    assert_eq!(notes(&ctx)[1..], ["log unknown", failure, "model after 3 messages"]);
}

#[tokio::test]
async fn a_retry_of_a_model_call_does_not_retry_the_run() {
    #[rail(priority = 10, on = [LlmError])]
    fn again(ctx: &RailContext) -> RailAction {
        note(ctx, format!("again {}", ctx.attempt()));
        RailAction::retry(RetryRequest::new("it may come back").with_max_retries(1))
    }
    #[rail(priority = 10, on = [Start])]
    fn start(ctx: &RailContext) {
        note(ctx, "start");
    }
    let mut ctx = context();
    let error = run_agent(&rails![again, start], &Model::new([]), "hello", &mut ctx).await.unwrap_err();
    assert!(matches!(error, RunError::RetriesExhausted(error) if error.rail_name == "again" && error.attempts == 2));
    let ask = "model after 1 messages";
    assert_eq!(notes(&ctx), ["start", ask, "again 0", ask, "again 1"]);
}

/// A tool that runs an agent, and a program that returns what its runs end with.
async fn researches(question: &String) -> Result<String, RunError> {
    let outer: ScriptedModel =
        r#"[{ "call": [{ "tool": "research", "arguments": {} }] }, { "say": "Done." }]"#.parse()?;
    let research = Tool::new("research", "", json!({ "type": "object" }), |_: Value| async {
        let model: ScriptedModel = r#"[{ "say": "It is green." }]"#.parse().map_err(RunError::from)?;
        let inner = tests::agent("inner", model).rails(rails![no_colours]).build();
        Ok::<_, OperationError>(inner.run("What colour?").await?.text)
    });
    let agent = tests::agent("outer", outer).tool(research).build();
    let output = agent.run(question).await?;
    Ok(output.messages.iter().map(|message| message.text().into_owned()).collect::<Vec<_>>().join("\n"))
}

#[rail(on = [Finished])]
fn no_colours(output: &InvokeOutput) -> Verdict {
    Verdict::abort_if(output.text.contains("green"), "no colours")
}

#[tokio::test]
async fn errors_of_runs_and_scripts_pass_through_question_marks() {
    let text = researches(&"Why?".to_owned()).await.unwrap();
    assert!(text.contains("rail `no_colours` aborted at finished: no colours"), "{text}");
    let wrong = "[{}]".parse::<ScriptedModel>().map_err(RunError::from).unwrap_err();
    let RunError::Operation(error) = wrong else { panic!("{wrong}") };
    assert!(error.source.is_some_and(|source| source.is::<ScriptError>()));
    let failed = OperationError::new(OperationErrorKind::RateLimited, "slow down").with_status(429);
    let failed = OperationError::from(RunError::from(failed));
    assert_eq!((failed.kind, failed.status), (OperationErrorKind::RateLimited, Some(429)));
}

#[tokio::test]
async fn one_budget_bounds_the_retries_of_a_run() {
    #[rail(on = [LlmError])]
    fn again(error: &OperationError) -> RailAction {
        RailAction::retry(RetryRequest::new(error.message.clone()).with_max_retries(9))
    }
    let failing = r#"{ "fail": { "kind": "unavailable", "message": "no connection" } }"#;
    let script = format!("[{}]", vec![failing; 20].join(","));
    let agent = |retries| {
        let model: exo_rails_agent::ScriptedModel = script.parse().unwrap();
        tests::agent("support", model).rails(rails![again]).max_retries(retries).build()
    };
    for retries in [0, 3] {
        let bounded = agent(retries);
        let failed = bounded.run("Hello?").await.unwrap_err();
        let RunError::RetriesExhausted(exhausted) = &failed.error else { panic!("{failed}") };
        let limit = exo_rails::RetryLimit::Run { max_retries: retries };
        assert_eq!((exhausted.attempts, exhausted.limit), (retries + 1, limit));
        // Each run of a session has its own budget.
        let mut session = exo_rails_agent::Session::start(&bounded, "s-1").await.unwrap();
        let failed = session.run("Hello?").await.unwrap_err();
        assert!(matches!(&failed.error, RunError::RetriesExhausted(exhausted) if exhausted.limit == limit));
        // A streamed run has the same budget as a run that is not streamed.
        for of_agent in [true, false] {
            let bounded = agent(retries);
            let mut session = exo_rails_agent::Session::start(&bounded, "s-1").await.unwrap();
            let stream = if of_agent { bounded.stream("Hello?") } else { session.stream("Hello?") };
            let failed = stream.collect::<Vec<_>>().await.pop().unwrap().unwrap_err();
            assert!(matches!(&failed.error, RunError::RetriesExhausted(exhausted) if exhausted.limit == limit));
        }
    }
}
