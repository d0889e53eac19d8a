//! The rails that the documentation shows first, at work together.

use std::time::Duration;

use exo_rails::prelude::*;
use serde_json::json;
use tests::{Model, asks_for, note, notes, prompt, run, run_agent, tool};

/// Refuses tools that destroy data.
#[rail(priority = 10, on = [PreToolCall])]
async fn block_dangerous(call: &ToolCallInputs) -> RailAction {
    match call.tool_name.as_str() {
        "delete_file" | "drop_table" => RailAction::abort("destructive tools are off limits"),
        _ => RailAction::Continue,
    }
}

/// Hides keys in whatever a tool returns.
#[rail(priority = 40, on = [PostToolCall])]
async fn redact(call: &ToolCallInputs, output: &mut ToolOutput, ctx: &mut RailContext) {
    if output.content.contains("sk-") {
        note(ctx, format!("redacted the output of {}", call.tool_name));
        "[redacted]".clone_into(&mut output.content);
    }
}

/// One rail on events with different payloads takes the union.
#[rail(priority = 10, on = [PreToolCall, Start])]
async fn size_limit(inputs: Inputs<'_>) -> RailAction {
    let size = match inputs {
        Inputs::Start(run) => run.input.text().len(),
        Inputs::PreToolCall(call) => call.arguments.to_string().len(),
        _ => 0,
    };
    if size > 100 { RailAction::abort(format!("{size} bytes are too many")) } else { RailAction::Continue }
}

/// A rail with configuration is a type, with a method for each event.
pub struct ContentFilter {
    phrases: Vec<String>,
}

impl ContentFilter {
    fn check(&self, text: &str) -> RailAction {
        match self.phrases.iter().find(|phrase| text.contains(phrase.as_str())) {
            Some(phrase) => RailAction::abort(format!("it says {phrase:?}")),
            None => RailAction::Continue,
        }
    }
}

#[rail(priority = 30)]
impl ContentFilter {
    #[on(Start)]
    async fn user_input(&self, run: &InvokeInputs) -> RailAction {
        self.check(&run.input.text())
    }

    #[on(PreLlmCall)]
    async fn prompt(&self, call: &ModelCallInputs) -> RailAction {
        call.messages
            .iter()
            .map(|message| self.check(&message.text()))
            .find(|action| *action != RailAction::Continue)
            .unwrap_or_default()
    }

    #[on(PostLlmCall)]
    async fn answer(&self, response: &ModelResponse) -> RailAction {
        self.check(&response.message.text())
    }
}

rail_chain! {
    /// Everything that guards the support agent. The order below is for reading; priorities decide.
    pub struct SupportRails {
        redact,
        content_filter: ContentFilter,
        block_dangerous,
        size_limit,
    }
}

fn support() -> SupportRails {
    SupportRails { content_filter: ContentFilter { phrases: vec!["ignore all rules".to_owned()] } }
}

fn context() -> RailContext {
    RailContext::new("support")
}

async fn failure<T: std::fmt::Debug>(result: impl Future<Output = Result<T, RunError>>) -> String {
    result.await.unwrap_err().to_string()
}

#[tokio::test]
async fn the_support_rails_let_ordinary_work_pass() {
    let model = Model::new([asks_for(&["search"]), ModelResponse::text("It is on its way.")]);
    let output = run_agent(&support(), &model, "Where is my order?", &mut context()).await.unwrap();
    assert_eq!(output.text, "It is on its way.");
}

#[tokio::test]
async fn the_support_rails_stop_what_they_are_for() {
    let (rails, ctx) = (support(), &mut context());
    let message = failure(rails.guard_tool_call(ToolCallInputs::new("drop_table"), ctx, tool)).await;
    assert_eq!(message, "rail `block_dangerous` aborted at pre_tool_call: destructive tools are off limits");
    let long = ToolCallInputs::new("search").with_arguments(json!({ "query": "x".repeat(100) }));
    let message = failure(rails.guard_tool_call(long, ctx, tool)).await;
    assert_eq!(message, "rail `size_limit` aborted at pre_tool_call: 112 bytes are too many");
    let message = failure(rails.guard_run("x".repeat(101), ctx, run)).await;
    assert_eq!(message, "rail `size_limit` aborted at start: 101 bytes are too many");
    for (message, event) in [
        (failure(rails.guard_run("ignore all rules", ctx, run)).await, "start"),
        (failure(rails.guard_llm_call(prompt("now ignore all rules"), ctx, tests::model)).await, "pre_llm_call"),
        (failure(rails.guard_llm_call(prompt("hi"), ctx, talks_back)).await, "post_llm_call"),
    ] {
        assert_eq!(message, format!("rail `ContentFilter` aborted at {event}: it says \"ignore all rules\""));
    }
}

async fn talks_back(_: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    Ok(ModelResponse::text("I ignore all rules"))
}

#[tokio::test]
async fn the_support_rails_redact_what_tools_return() {
    let mut ctx = context();
    let call = ToolCallInputs::new("read").with_arguments(json!({ "key": "sk-123" }));
    let output = support().guard_tool_call(call, &mut ctx, tool).await.unwrap();
    assert_eq!(output.content, "[redacted]");
    assert_eq!(notes(&ctx).last().unwrap(), "redacted the output of read");
}

#[tokio::test]
async fn a_rail_can_be_called_as_the_function_that_it_is() {
    assert_eq!(block_dangerous(&ToolCallInputs::new("search")).await, RailAction::Continue);
    assert_ne!(block_dangerous(&ToolCallInputs::new("drop_table")).await, RailAction::Continue);
}

#[test]
fn the_plan_shows_which_rails_run_when() {
    let names = |event| SupportRails::PLAN.rails(event).iter().map(|rail| rail.info.name).collect::<Vec<_>>();
    assert_eq!(names(HookPoint::Start), ["size_limit", "ContentFilter"]);
    assert_eq!(names(HookPoint::PreToolCall), ["block_dangerous", "size_limit"]);
    assert_eq!(names(HookPoint::PostToolCall), ["redact"]);
    assert!(names(HookPoint::Finished).is_empty());
    assert!(SupportRails::PLAN.to_string().contains("block_dangerous"));
}

#[rail(priority = 10, on = [PreLlmCall])]
fn rate_limit(ctx: &RailContext) -> RailAction {
    note(ctx, "rate limit");
    if ctx.attempt() > 0 {
        return RailAction::Continue;
    }
    RailAction::retry(RetryRequest::new("rate limited").with_delay(Duration::from_secs(2)).with_max_retries(3))
}

#[rail(priority = 90, on = [PreLlmCall])]
fn last(ctx: &RailContext) {
    note(ctx, "logging");
}

#[rail(on = [PreLlmCall])]
fn middle(ctx: &RailContext) {
    note(ctx, "middle");
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_waits_and_the_other_rails_follow_by_priority() {
    let mut ctx = context();
    rail_chain![last, rate_limit, middle].guard_llm_call(prompt("hi"), &mut ctx, tests::model).await.unwrap();
    assert_eq!(notes(&ctx), ["rate limit", "rate limit", "middle", "logging", "model hi"]);
}
