//! The run: `Start` and `Finished` around it, `Error` once when it fails, and what each event carries.

use exo_rails::message::{Content, ContentPart, Message, ToolSpec, Usage};
use exo_rails::prelude::*;
use exo_rails::{CancellationToken, OperationErrorKind, SharedExtensions};
use serde_json::json;
use tests::{GuardDyn, Model, broken_run, broken_tool, note, notes, rails, run, run_agent, take_notes, tool};

fn context() -> RunContext {
    RunContext::new("lifecycle")
}

#[rail(on = [Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished, events::Error])]
fn every_event(ctx: &RailContext) {
    note(ctx, ctx.event().name());
}

#[tokio::test]
async fn start_and_finished_fire_on_every_run() {
    let mut ctx = context();
    rails![every_event].dyn_run("hello", &mut ctx, run).await.unwrap();
    assert_eq!(take_notes(&ctx), ["start", "run hello", "finished"]);
    run_agent(&rails![every_event], &Model::new([ModelResponse::text("hi")]), "hello", &mut ctx).await.unwrap();
    assert_eq!(notes(&ctx), ["start", "pre_llm_call", "model after 1 messages", "post_llm_call", "finished"]);
}

#[tokio::test]
async fn a_rail_on_start_alone_stops_a_run() {
    #[rail(priority = 10, on = [Start])]
    fn input_length(run: &InvokeInputs) -> Verdict {
        Verdict::abort_if(run.input.text().len() > 5, "the input is too long")
    }
    let mut ctx = context();
    let rails = rails![input_length];
    assert!(rails.dyn_run("hello", &mut ctx, run).await.is_ok());
    let error = rails.dyn_run("hello again", &mut ctx, run).await.unwrap_err();
    assert_eq!(error.to_string(), "rail `input_length` aborted at start: the input is too long");
    assert_eq!(notes(&ctx), ["run hello"]);
}

/// Does what the input says.
#[rail(priority = 10, on = [Start])]
fn obey(run: &InvokeInputs) -> Result<RailAction, &'static str> {
    match run.input.text().as_ref() {
        "abort" => Ok(RailAction::abort("as told")),
        "fault" => Err("as told"),
        "retry" => Ok(RailAction::retry(RetryRequest::new("as told").with_max_retries(2))),
        _ => Ok(RailAction::Continue),
    }
}

#[rail(priority = 10, on = [PreToolCall])]
fn no_tools() -> Verdict {
    Verdict::abort("no tools")
}

#[rail(priority = 90, on = [events::Error])]
fn told(run: &InvokeInputs, error: &RunError, ctx: &RailContext) {
    note(ctx, format!("{}: {error}", run.input.text()));
}

fn guards() -> RailManager {
    rails![told, obey, no_tools]
}

/// A run that fails as its input says.
async fn fail(run: Permit<InvokeInputs>) -> Result<InvokeOutput, RunError> {
    let mut ctx = run.context();
    match run.input.text().as_ref() {
        "tool" => {
            let output = guards().guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?;
            Ok(InvokeOutput::text(output.content))
        }
        "model" => {
            let response = guards().guard_llm_call(tests::prompt("hello"), &mut ctx, tests::broken_model).await?;
            Ok(InvokeOutput::text(response.message.text()))
        }
        "steps" => Err(RunError::StepLimit { limit: 3 }),
        "keep" => {
            ctx.run.insert(Some(run));
            Ok(InvokeOutput::default())
        }
        _ => broken_run(run).await.map_err(Into::into),
    }
}

#[tokio::test]
async fn an_error_of_any_kind_fires_error_once_and_is_returned_unchanged() {
    let cases = [
        ("abort", "rail `obey` aborted at start: as told"),
        ("fault", "rail `obey` faulted at start: as told"),
        ("retry", "rail `obey` wants a retry at start but has none left (3 attempted, 2 retries allowed): as told"),
        ("tool", "rail `no_tools` aborted at pre_tool_call: no tools"),
        ("model", "the model is broken (failed)"),
        ("steps", "the agent took 3 steps without an answer"),
        ("keep", "the operation after start ended but kept its permit"),
        ("anything else", "the run is broken (failed)"),
    ];
    for (input, expected) in cases {
        let mut ctx = context();
        let error = guards().guard_run(input, &mut ctx, fail).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
        let told: Vec<_> = notes(&ctx).into_iter().filter(|note| !note.starts_with("broken")).collect();
        assert_eq!(told, [format!("{input}: {expected}")]);
    }
}

#[tokio::test]
async fn a_cancelled_run_fires_error_once() {
    let token = CancellationToken::new();
    token.cancel();
    let mut ctx = context().with_cancellation(token);
    let error = guards().guard_run("hello", &mut ctx, run).await.unwrap_err();
    assert!(matches!(error, RunError::Cancelled));
    assert_eq!(notes(&ctx), ["hello: the run was cancelled"]);
}

#[tokio::test]
async fn a_run_that_ends_well_has_no_error() {
    let mut ctx = context();
    guards().guard_run("hello", &mut ctx, run).await.unwrap();
    assert_eq!(notes(&ctx), ["run hello"]);
}

#[tokio::test]
async fn the_model_reads_the_failure_of_a_tool_call_that_no_rail_rescues() {
    #[rail(on = [ToolError])]
    fn look(error: &OperationError, ctx: &RailContext) -> RailAction {
        note(ctx, format!("{}: {}", error.kind, error.message));
        RailAction::Continue
    }
    let mut ctx = context();
    let rails = rails![look, every_event];
    let output = rails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, broken_tool).await.unwrap();
    assert_eq!(output.content, "The call of `search` failed: the tool is broken (failed)");
    assert_eq!((output.is_error, output.error_kind), (true, Some(OperationErrorKind::Other)));
    let expected =
        ["pre_tool_call", "broken tool search", "failed: the tool is broken", "tool_error", "post_tool_call"];
    assert_eq!(notes(&ctx), expected, "the rails after the call see what the model reads");
}

#[tokio::test]
async fn a_rail_can_abort_when_an_operation_has_failed() {
    #[rail(priority = 10, on = [ToolError, LlmError])]
    fn fatal(error: &OperationError) -> Verdict {
        Verdict::abort(error.message.clone())
    }
    let rails = rails![fatal];
    let call = ToolCallInputs::new("search");
    let error = rails.dyn_tool_call(call, &mut context(), broken_tool).await.unwrap_err();
    assert_eq!(error.to_string(), "rail `fatal` aborted at tool_error: the tool is broken");
    let error = rails.dyn_llm_call(tests::prompt("hi"), &mut context(), tests::broken_model).await.unwrap_err();
    assert_eq!(error.to_string(), "rail `fatal` aborted at llm_error: the model is broken");
}

#[tokio::test]
async fn the_model_events_carry_messages_tools_options_and_cost() {
    #[rail(on = [PreLlmCall])]
    fn before(call: &ModelCallInputs, ctx: &RailContext) {
        let tools: Vec<_> = call.tools.iter().map(|tool| tool.function.name.as_str()).collect();
        note(ctx, format!("{} {tools:?} {}", call.messages[0].text(), call.extra["temperature"]));
    }
    #[rail(on = [PostLlmCall])]
    fn after(call: &ModelCallInputs, response: &ModelResponse, ctx: &RailContext) {
        let cost = response.usage.as_ref().unwrap().total_tokens;
        note(ctx, format!("{} -> {}, {cost} tokens", call.messages[0].text(), response.message.text()));
    }
    let mut ctx = context();
    let mut call = ModelCallInputs::new(vec![Message::user("hello")]);
    call.tools.push(ToolSpec::new("search", "finds things", json!({ "type": "object" })));
    call.extra.insert("temperature".to_owned(), json!(0.5));
    let usage = Usage { total_tokens: 12, ..Usage::default() };
    let answer = ModelResponse { usage: Some(usage), ..ModelResponse::text("hi") };
    let model = |_| std::future::ready(Ok::<_, OperationError>(answer.clone()));
    rails![before, after].dyn_llm_call(call, &mut ctx, model).await.unwrap();
    assert_eq!(notes(&ctx), ["hello [\"search\"] 0.5", "hello -> hi, 12 tokens"]);
}

#[tokio::test]
async fn the_tool_events_carry_the_call_and_its_output() {
    #[rail(on = [PostToolCall])]
    fn after(output: &ToolOutput, call: &ToolCallInputs, ctx: &RailContext) {
        note(ctx, format!("{} {} {} -> {}", call.id, call.tool_name, call.arguments, output.content));
    }
    let mut ctx = context();
    let call =
        ToolCallInputs { id: "call-1".to_owned(), ..ToolCallInputs::new("add").with_arguments(json!({ "n": 1 })) };
    let result = |_| std::future::ready(Ok::<_, OperationError>(ToolOutput::json(&json!({ "sum": 1 })).unwrap()));
    rails![after].dyn_tool_call(call, &mut ctx, result).await.unwrap();
    assert_eq!(notes(&ctx), [r#"call-1 add {"n":1} -> {"sum":1}"#]);
}

#[tokio::test]
async fn the_end_of_a_run_carries_its_input_and_its_output() {
    #[rail(on = [Finished])]
    fn after(run: &InvokeInputs, output: &InvokeOutput, ctx: &RailContext) {
        note(ctx, format!("{} -> {} in {} steps", run.input.text(), output.text, output.steps));
    }
    let mut ctx = context();
    let answers = [tests::asks_for(&["search"]), ModelResponse::text("found")];
    run_agent(&rails![after], &Model::new(answers), "find it", &mut ctx).await.unwrap();
    assert_eq!(notes(&ctx).last().unwrap(), "find it -> found in 2 steps");
}

#[tokio::test]
async fn a_run_may_begin_with_parts_of_several_kinds() {
    #[rail(on = [Start])]
    fn parts(run: &InvokeInputs, ctx: &RailContext) {
        if let Content::Parts(parts) = &run.input {
            note(ctx, parts.iter().map(|part| part.kind.as_str()).collect::<Vec<_>>().join(", "));
        }
    }
    let text =
        |text: &str| ContentPart { kind: "text".to_owned(), text: Some(text.to_owned()), ..ContentPart::default() };
    let image = ContentPart { kind: "image_url".to_owned(), ..ContentPart::default() };
    let input = Content::Parts(vec![text("what is "), image, text("this?")]);
    let mut ctx = context();
    let output = rails![parts].dyn_run(input, &mut ctx, run).await.unwrap();
    assert_eq!(output.text, "what is this?");
    assert_eq!(notes(&ctx), ["text, image_url, text", "run what is this?"]);
}

#[rail(on = [Start, PreToolCall])]
fn place(ctx: &RailContext) {
    let (agent, run, session) = (ctx.agent(), ctx.run_id(), ctx.session_id().unwrap_or("none"));
    let cancellable = ctx.cancellation().is_some();
    note(ctx, format!("{agent} {run} {session} turn {} step {} {} {cancellable}", ctx.turn(), ctx.step(), ctx.event()));
}

#[tokio::test]
async fn the_context_names_the_run_session_turn_step_and_event() {
    let ctx = RunContext::new("support").with_run_id("r7").with_session("s3", SharedExtensions::default(), 2);
    let mut ctx = ctx.with_cancellation(CancellationToken::new());
    let tools_at_step_4 = |run: Permit<InvokeInputs>| async move {
        let mut ctx = run.context();
        ctx.set_step(4);
        rails![place].dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?;
        Ok::<_, RunError>(InvokeOutput::default())
    };
    rails![place].dyn_run("hello", &mut ctx, tools_at_step_4).await.unwrap();
    let expected = ["support r7 s3 turn 2 step 0 start true", "support r7 s3 turn 2 step 4 pre_tool_call true"];
    assert_eq!(notes(&ctx)[..2], expected);
}

#[test]
fn runs_without_an_id_get_different_ids() {
    assert_ne!(context().run_id(), context().run_id());
}
