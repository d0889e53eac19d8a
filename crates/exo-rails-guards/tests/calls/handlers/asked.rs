//! Models and agents that decide.

use exo_rails::Tool;
use exo_rails::prelude::*;
use exo_rails_agent::{Model, ScriptedModel};
use exo_rails_guards::handlers::{AgentRun, HandlerConfig, HandlerEvent, HookHandlers, PromptRun, Run};
use serde_json::{Value, json};

use crate::handlers::{Guards, call_tool};

fn prompt() -> HandlerConfig {
    let run = PromptRun { text: "Is this fine?\n$ARGUMENTS".to_owned(), model: "judge".to_owned() };
    HandlerConfig::new([HandlerEvent::PreToolCall], Run::Prompt(run))
}

fn script(answer: &str) -> ScriptedModel {
    json!([{ "say": answer }]).to_string().parse().unwrap()
}

#[tokio::test]
async fn only_a_valid_verdict_of_the_model_decides() {
    let table = [
        (r#"{"ok":true}"#, Ok("ran with")),
        (r#"{"ok":true,"reason":"fine"}"#, Ok("ran with")),
        (" \n{ \"ok\": true }\n", Ok("ran with")),
        ("```json\n{\"ok\":true}\n```", Ok("ran with")),
        ("```\n{\"ok\":false,\"reason\":\"no\"}\n```", Ok("hook_handlers/block: handlers[0]: no")),
        (r#"{"ok":false,"reason":"no"}"#, Ok("hook_handlers/block: handlers[0]: no")),
        (r#"{"ok":false}"#, Ok("hook_handlers/block: handlers[0]: no reason given")),
        // Everything else decides nothing.
        ("yes", Err("the model did not answer")),
        ("", Err("the model")),
        (r#"{"ok":"true"}"#, Err("the model did not answer")),
        (r#"{"ok":1}"#, Err("the model did not answer")),
        ("{}", Err("the model did not answer")),
        ("[true]", Err("the model did not answer")),
        (r#"{"reason":"no"}"#, Err("the model did not answer")),
        (r#"{"ok":true,"ok":false}"#, Err("the model did not answer")),
        (r#"{"ok":true,"confidence":0.2}"#, Err("the model did not answer")),
        (r#"Not {"ok":false}, but {"ok":true}"#, Err("the model did not answer")),
        (r#"{"ok":true} because it is fine"#, Err("the model did not answer")),
        ("```json\n{\"ok\":true}\n```\n```json\n{\"ok\":false}\n```", Err("the model did not answer")),
    ];
    for (answer, expected) in table {
        let handlers = HookHandlers::builder().model("judge", script(answer)).handler(prompt()).build().unwrap();
        let found = call_tool(&Guards { handlers }, &mut RunContext::new("test")).await;
        match (&found, expected) {
            (Ok(output), Ok(part)) => assert!(output.contains(part), "{answer}: {output}"),
            (Err(error), Err(part)) => assert!(error.contains(part), "{answer}: {error}"),
            _ => panic!("{answer}: {found:?}"),
        }
    }
}

/// Allows an event that it sees.
struct Sees;

impl Model for Sees {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        let text = request.messages.last().map(|message| message.text().into_owned()).unwrap_or_default();
        let is_seen = text.starts_with("Is this fine?\n{") && text.contains(r#""tool_name":"write_file""#);
        let is_told = request.messages[0].text().contains("never an instruction");
        Ok(ModelResponse::text(json!({ "ok": is_seen && is_told, "reason": text }).to_string()))
    }
}

#[tokio::test]
async fn the_prompt_contains_the_event_in_place_of_its_variable() {
    let handlers = HookHandlers::builder().model("judge", Sees).handler(prompt()).build().unwrap();
    let output = call_tool(&Guards { handlers }, &mut RunContext::new("test")).await.unwrap();
    assert!(output.starts_with("ran with"), "{output}");
}

/// Never answers.
struct Silent;

impl Model for Silent {
    async fn call(&self, _: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_model_and_a_failing_model_are_faults() {
    let handlers = HookHandlers::builder().model("judge", Silent).handler(prompt()).build().unwrap();
    let error = call_tool(&Guards { handlers }, &mut RunContext::new("test")).await.unwrap_err();
    assert!(error.ends_with("it did not answer within 30s"), "{error}");

    let fails: ScriptedModel = r#"[{ "fail": { "kind": "unavailable", "message": "gone" } }]"#.parse().unwrap();
    let handlers = HookHandlers::builder().model("judge", fails).handler(prompt()).build().unwrap();
    let error = call_tool(&Guards { handlers }, &mut RunContext::new("test")).await.unwrap_err();
    assert!(error.contains("the model failed"), "{error}");
}

fn agent(max_steps: u32) -> HandlerConfig {
    let run = AgentRun { text: "$ARGUMENTS".into(), model: "judge".into(), tools: vec!["owner".into()], max_steps };
    HandlerConfig::new([HandlerEvent::PreToolCall], Run::Agent(run))
}

fn owner() -> Tool {
    let run = |_: Value| async { Ok::<_, OperationError>("root") };
    Tool::new("owner", "Returns the owner of a file.", json!({ "type": "object" }), run)
}

const LOOKS_FIRST: &str = r#"[
    { "call": [{ "tool": "owner", "arguments": { "path": "a.txt" } }] },
    { "say": "{\"ok\":false,\"reason\":\"the file belongs to root\"}" }
]"#;

#[tokio::test]
async fn an_agent_uses_its_tools_within_its_steps() {
    for (max_steps, expected) in [(2, Ok("the file belongs to root")), (1, Err("the model failed"))] {
        let model: ScriptedModel = LOOKS_FIRST.parse().unwrap();
        let builder = HookHandlers::builder().model("judge", model).tool(owner());
        let handlers = builder.handler(agent(max_steps)).build().unwrap();
        let found = call_tool(&Guards { handlers }, &mut RunContext::new("test")).await;
        match (&found, expected) {
            (Ok(output), Ok(part)) => assert!(output.ends_with(part), "{output}"),
            (Err(error), Err(part)) => assert!(error.contains(part), "{error}"),
            _ => panic!("{found:?}"),
        }
    }
}

#[tokio::test]
async fn rails_guard_the_agent() {
    #[rail(on = [PreToolCall])]
    fn nothing(_call: &ToolCallInputs) -> Verdict {
        Verdict::abort("the agent may not use tools")
    }
    let model: ScriptedModel = LOOKS_FIRST.parse().unwrap();
    let builder = HookHandlers::builder().model("judge", model).tool(owner()).agent_rails(rail_chain![nothing]);
    let handlers = builder.handler(agent(5)).build().unwrap();
    let error = call_tool(&Guards { handlers }, &mut RunContext::new("test")).await.unwrap_err();
    assert!(error.contains("the agent may not use tools"), "{error}");
}
