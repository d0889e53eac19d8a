//! The middlewares of `LangChain` that programs use most, as rails.
//!
//! | LangChain | here | test |
//! |---|---|---|
//! | `SummarizationMiddleware(trigger=("tokens", n), keep=("messages", k))` | [`Compaction::over`] with a model that writes the summary | [`a_rail_can_replace_the_summarization_middleware`] |
//! | `ToolCallLimitMiddleware(tool_name, thread_limit, run_limit, exit_behavior)` | [`ToolCallLimit`], as often as there are limits | [`rails_can_replace_the_tool_call_limit_middleware`] |
//! | `ModelFallbackMiddleware(first, *others)` | [`ModelFallback`], around the model call | [`a_rail_can_replace_the_model_fallback_middleware`] |
//! | `before_agent`, `after_agent`, `jump_to="end"` | rails on `Start` and `Finished`, `skip_with`, `abort_with` | [`rails_can_replace_before_agent_and_after_agent`] |

use std::sync::Arc;

use exo_rails::message::{Message, Messages};
use exo_rails::operations::LlmCall;
use exo_rails::prelude::*;
use exo_rails::{CompactionInputs, CompactionOutput, DynGuardSet, Next};
use exo_rails_agent::{Compaction, Model, ScriptedModel, Session, estimated_tokens};
use serde_json::{Value, json};
use tests::{note, notes};

fn script(script: &Value) -> ScriptedModel {
    script.to_string().parse().unwrap()
}

/// Summarises all but the newest messages, when the history has more than so many tokens.
#[tokio::test]
async fn a_rail_can_replace_the_summarization_middleware() {
    const KEPT: usize = 2;
    async fn summarise(history: Permit<CompactionInputs>) -> Result<CompactionOutput, OperationError> {
        let old = history.messages.len().saturating_sub(KEPT);
        let text: Vec<_> = history.messages.iter().take(old).map(|message| message.text().into_owned()).collect();
        let mut messages = Messages::from([Message::user(format!("Summary: {}", text.join(" / ")))]);
        messages.extend(history.messages.iter().skip(old).cloned());
        Ok(CompactionOutput { messages, removed: old, ..CompactionOutput::default() })
    }
    #[rail(on = [PreLlmCall])]
    fn sizes(request: &ModelCallInputs, ctx: &RailContext) {
        ctx.session.update(|sizes: &mut Vec<u64>| sizes.push(estimated_tokens(&request.messages)));
    }
    let turns: Vec<_> =
        (0..6).map(|turn| json!({ "say": format!("This is the long answer to question number {turn}.") })).collect();
    let agent = tests::agent("support", script(&Value::from(turns)))
        .compaction(Compaction::over(60).with_strategy(summarise))
        .rails(tests::rails![sizes])
        .build();
    let mut session = Session::start(&agent, "s-1").await.unwrap();
    for turn in 0..6 {
        session.run(format!("A question of some length, number {turn}?")).await.unwrap();
    }
    let texts: Vec<_> = session.messages().iter().map(|message| message.text().into_owned()).collect();
    assert!(texts[0].starts_with("Summary: "), "{texts:?}");
    assert!(texts.last().unwrap().contains("number 5"), "{texts:?}");
}

/// What happens with a call over a limit.
#[derive(Clone, Copy)]
enum Exit {
    /// The model reads that the call was refused, and goes on.
    Continue,
    /// The run fails.
    Error,
    /// The run ends with an answer.
    End,
}

/// How often tools may be called, in a run and in a session.
struct ToolCallLimit {
    tool: Option<&'static str>,
    run: Option<u32>,
    session: Option<u32>,
    exit: Exit,
}

/// The calls that a limit has let pass, by its name.
#[derive(Clone, Default)]
struct Calls(std::collections::HashMap<String, u32>);

#[rail(priority = 20)]
impl ToolCallLimit {
    #[on(PreToolCall)]
    fn count(&self, call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
        if self.tool.is_some_and(|tool| tool != call.tool_name) {
            return RailAction::Continue;
        }
        let name = self.tool.unwrap_or("all tools");
        let count = |calls: &mut Calls| {
            let calls = calls.0.entry(name.to_owned()).or_default();
            *calls += 1;
            *calls
        };
        let over = self.run.is_some_and(|limit| ctx.run.update(count) > limit)
            || self.session.is_some_and(|limit| ctx.session.update(count) > limit);
        let reason = format!("the limit for {name} is reached");
        match self.exit {
            _ if !over => RailAction::Continue,
            Exit::Continue => RailAction::skip(reason),
            Exit::Error => RailAction::abort(reason),
            Exit::End => RailAction::abort_with(InvokeOutput::text("I have looked often enough."), reason),
        }
    }
}

rail_chain! {
    struct Limits { searches: ToolCallLimit, all_tools: ToolCallLimit }
}

fn tools() -> [Tool; 2] {
    ["search", "read"].map(|name| {
        let found = |_: Value| async { Ok::<_, OperationError>("found") };
        Tool::new(name, "Finds something.", json!({ "type": "object" }), found)
    })
}

fn calls(tools: &[&str]) -> Value {
    json!({ "call": tools.iter().map(|tool| json!({ "tool": tool, "arguments": {} })).collect::<Vec<_>>() })
}

#[tokio::test]
async fn rails_can_replace_the_tool_call_limit_middleware() {
    let limits = |exit| Limits {
        searches: ToolCallLimit { tool: Some("search"), run: Some(2), session: None, exit },
        all_tools: ToolCallLimit { tool: None, run: None, session: Some(4), exit: Exit::Error },
    };
    let run = |exit, answers: Vec<Value>| async move {
        let agent = tests::agent("support", script(&Value::from(answers)))
            .tools(tools())
            .rails(DynGuardSet::from(limits(exit)))
            .build();
        agent.run("Look!").await
    };
    let three = vec![calls(&["search", "search", "search"]), json!({ "say": "done" })];
    let output = run(Exit::Continue, three.clone()).await.unwrap();
    let refused =
        output.messages.iter().filter(|message| message.text().contains("the limit for search is reached")).count();
    assert_eq!((output.text.as_str(), refused), ("done", 1), "two in one answer are two");
    assert!(
        matches!(run(Exit::Error, three.clone()).await, Err(failed) if matches!(&failed.error, RunError::Abort(abort) if abort.rail_name == "searches"))
    );
    assert_eq!(run(Exit::End, three).await.unwrap().text, "I have looked often enough.");
    // Of a session, by all tools together.
    let turn = || vec![calls(&["read", "search"]), json!({ "say": "done" })];
    let answers: Vec<_> = (0..3).flat_map(|_| turn()).collect();
    let agent = tests::agent("support", script(&Value::from(answers)))
        .tools(tools())
        .rails(DynGuardSet::from(limits(Exit::Continue)))
        .build();
    let mut session = Session::start(&agent, "s-1").await.unwrap();
    assert!(session.run("Look!").await.is_ok());
    assert!(session.run("Look!").await.is_ok());
    assert!(
        matches!(session.run("Look!").await, Err(failed) if matches!(&failed.error, RunError::Abort(abort) if abort.rail_name == "all_tools"))
    );
}

/// Asks other models, one after the other, when the model fails.
struct ModelFallback(Vec<Arc<ScriptedModel>>);

#[rail(priority = 30)]
impl ModelFallback {
    #[on(PreLlmCall, around)]
    async fn fall_back(
        &self,
        request: &ModelCallInputs,
        next: impl Next<LlmCall>,
    ) -> Result<ModelResponse, OperationError> {
        let scope = next.scope().clone();
        let mut result = next.run().await;
        for model in &self.0 {
            let Err(error) = &result else { break };
            note(&scope, format!("falls back: {error}"));
            let mut ctx = RunContext::new("fallback");
            let asked =
                exo_rails::NoRails.guard_llm_call(request.clone(), &mut ctx, |request| model.call(request)).await;
            result = asked.map_err(OperationError::from);
        }
        result
    }
}

rail_chain! { struct Fallback { models: ModelFallback } }

#[tokio::test]
async fn a_rail_can_replace_the_model_fallback_middleware() {
    let broken = || script(&json!([{ "fail": { "kind": "unavailable", "message": "no model here" } }]));
    let others = vec![Arc::new(broken()), Arc::new(script(&json!([{ "say": "from the third" }])))];
    let agent =
        tests::agent("support", broken()).rails(DynGuardSet::from(Fallback { models: ModelFallback(others) })).build();
    let mut ctx = RunContext::new("support");
    assert_eq!(agent.run_in("Hello?", &mut ctx).await.unwrap().text, "from the third");
    assert_eq!(notes(&ctx).len(), 2, "{:?}", notes(&ctx));
    // When all fail, the run fails as the last one did.
    let agent =
        tests::agent("support", broken()).rails(DynGuardSet::from(Fallback { models: ModelFallback(vec![]) })).build();
    let error = agent.run("Hello?").await.unwrap_err();
    assert_eq!(error.failure().unwrap().kind, OperationErrorKind::Unavailable);
}

#[tokio::test]
async fn rails_can_replace_before_agent_and_after_agent() {
    #[rail(on = [Start])]
    fn before_agent(run: &InvokeInputs, ctx: &RailContext) -> RailAction<InvokeOutput> {
        note(ctx, "before");
        if run.input.text() == "ping" {
            return RailAction::skip_with(InvokeOutput::text("pong"), "no model is needed");
        }
        RailAction::Continue
    }
    #[rail(on = [Finished])]
    fn after_agent(output: &mut InvokeOutput, ctx: &RailContext) {
        note(ctx, "after");
        output.text += ", signed";
    }
    let agent = tests::agent("support", script(&json!([{ "say": "hello" }])))
        .rails(tests::rails![before_agent, after_agent])
        .build();
    for (input, answer) in [("ping", "pong, signed"), ("Hello?", "hello, signed")] {
        let mut ctx = RunContext::new("support");
        assert_eq!(agent.run_in(input, &mut ctx).await.unwrap().text, answer);
        assert_eq!(notes(&ctx), ["before", "after"]);
    }
}
