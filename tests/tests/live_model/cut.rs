//! Answers that are cut: what their tool calls lack is not made up.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use exo_rails::prelude::*;
use exo_rails::{NoRails, ToolCallDelta};
use exo_rails_agent::{Agent, Model, RunEvent};
use serde_json::{Value, json};

use crate::dialect::{DIALECTS, Dialect, all_chat_events, message_events};
use crate::server::{Answer, Server};
use crate::{BOTH, How, ask, prompt};

/// An answer that calls `wipe` with these arguments, as text where there are any, and stops for this reason.
fn answer(dialect: Dialect, how: How, arguments: Option<&str>, reason: &str) -> Answer {
    match (dialect, how) {
        (Dialect::Chat, How::AtOnce) => {
            let mut function = json!({ "name": "wipe" });
            if let Some(arguments) = arguments {
                function["arguments"] = arguments.into();
            }
            let call = json!({ "id": "c1", "type": "function", "function": function });
            Answer::json(&json!({ "choices": [{ "message": { "tool_calls": [call] }, "finish_reason": reason }] }))
        }
        (Dialect::Chat, How::Streamed) => {
            let piece = |delta: Value| json!({ "choices": [{ "delta": { "tool_calls": [delta] } }] });
            let mut pieces = vec![piece(json!({ "index": 0, "id": "c1", "function": { "name": "wipe" } }))];
            pieces.extend(arguments.map(|text| piece(json!({ "index": 0, "function": { "arguments": text } }))));
            pieces.push(json!({ "choices": [{ "finish_reason": reason }] }));
            Answer::stream(&all_chat_events(&pieces), 30).ended()
        }
        (Dialect::Messages, How::AtOnce) => {
            let input: Value = serde_json::from_str(arguments.unwrap_or("{}")).unwrap_or(json!({}));
            let call = json!({ "type": "tool_use", "id": "c1", "name": "wipe", "input": input });
            Answer::json(&json!({ "type": "message", "content": [call], "stop_reason": reason }))
        }
        (Dialect::Messages, How::Streamed) => {
            let call = json!({ "type": "tool_use", "id": "c1", "name": "wipe", "input": {} });
            let mut events = vec![
                json!({ "type": "message_start", "message": { "content": [] } }),
                json!({ "type": "content_block_start", "index": 0, "content_block": call }),
            ];
            events.extend(arguments.map(|text| {
                let delta = json!({ "type": "input_json_delta", "partial_json": text });
                json!({ "type": "content_block_delta", "index": 0, "delta": delta })
            }));
            events.push(json!({ "type": "content_block_stop", "index": 0 }));
            events.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason } }));
            events.push(json!({ "type": "message_stop" }));
            Answer::stream(&message_events(&events), 30).ended()
        }
    }
}

fn reasons(dialect: Dialect) -> ([&'static str; 2], &'static str) {
    match dialect {
        Dialect::Chat => (["length", "content_filter"], "tool_calls"),
        Dialect::Messages => (["max_tokens", "refusal"], "tool_use"),
    }
}

const ARGUMENTS: [Option<&str>; 5] = [None, Some(""), Some("{"), Some("{\"path\":\"/tm"), Some("{\"path\":\"/\"}")];

/// Gives every call arguments.
#[rail(on = [PreToolCall])]
fn repair(call: &mut ToolCallInputs) {
    call.arguments = json!({ "path": "/" });
}

/// How often the tool ran, and what the model read then.
async fn calls(how: How, model: impl Model, rails: impl GuardSet, server: Server) -> (usize, String) {
    let ran = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&ran);
    let wipe = Tool::new("wipe", "Deletes files.", json!({ "type": "object" }), move |_: Value| {
        counter.fetch_add(1, Ordering::Relaxed);
        async { Ok::<_, OperationError>("wiped") }
    });
    let agent = Agent::builder("live", model).tool(wipe).rails(rails).build();
    match how {
        How::AtOnce => drop(agent.run("Tidy up.").await.unwrap()),
        How::Streamed => {
            let mut events = agent.stream("Tidy up.");
            while let Some(event) = events.next().await {
                drop::<RunEvent>(event.unwrap());
            }
        }
    }
    let body = server.requests().await.remove(1).body;
    let read = body["messages"].as_array().and_then(|messages| messages.last()).unwrap().to_string();
    (ran.load(Ordering::Relaxed), read)
}

#[tokio::test]
async fn tool_calls_of_a_cut_answer_do_not_run() {
    for dialect in DIALECTS {
        let (cut, complete) = reasons(dialect);
        for (how, arguments) in BOTH.into_iter().flat_map(|how| ARGUMENTS.map(|arguments| (how, arguments))) {
            for reason in cut {
                let answers = [answer(dialect, how, arguments, reason), Answer::json(&dialect.hello())];
                let server = Server::start(answers).await;
                let model = dialect.model(&server.url);
                let (ran, read) = calls(how, model, rail_chain![repair], server).await;
                assert!(ran == 0 && read.contains("the answer was cut"), "{dialect:?} {how:?} {arguments:?}: {read}");
            }
        }
        // A tool that takes no arguments is called where the answer is complete.
        for (how, arguments) in BOTH.into_iter().flat_map(|how| [None, Some("")].map(|arguments| (how, arguments))) {
            let answers = [answer(dialect, how, arguments, complete), Answer::json(&dialect.hello())];
            let server = Server::start(answers).await;
            let model = dialect.model(&server.url);
            let (ran, read) = calls(how, model, NoRails, server).await;
            assert!(ran == 1 && read.contains("wiped"), "{dialect:?} {how:?} {arguments:?}: {read}");
        }
    }
}

#[tokio::test]
async fn a_custom_loop_refuses_a_cut_call_without_arguments() {
    for (dialect, how) in DIALECTS.into_iter().flat_map(|dialect| BOTH.map(|how| (dialect, how))) {
        for arguments in &ARGUMENTS[..3] {
            let server = Server::start([answer(dialect, how, *arguments, reasons(dialect).0[0])]).await;
            let response = ask(&dialect.model(&server.url), how, prompt()).await.unwrap();
            assert!(response.is_cut());
            let call = ToolCallInputs::asked_for(&response.message.tool_calls[0]);
            assert!(call.arguments.is_string(), "{dialect:?} {how:?} {arguments:?}: {call:?}");
            let wipe = Tool::with_permit("wipe", "", json!({}), |_| async { Ok::<_, OperationError>("wiped") });
            let output = NoRails.guard_tool_call(call, &mut RunContext::new("own"), |call| wipe.call(call)).await;
            assert!(output.unwrap().content.contains("are not JSON"));
            server.requests().await;
        }
    }
}

/// A model whose answers nobody has settled.
struct Cut;

impl Model for Cut {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        if request.messages.len() > 1 {
            return Ok(ModelResponse::text("done"));
        }
        let mut answer = exo_rails::ResponseBuilder::new();
        let call = ToolCallDelta { id: Some("c1".into()), name: Some("wipe".into()), ..ToolCallDelta::at(0) };
        answer.add(exo_rails::ModelDelta::ToolCall(call));
        Ok(ModelResponse { finish_reason: Some("MAX_TOKENS".into()), ..answer.finish() })
    }
}

#[tokio::test]
async fn tool_calls_of_a_cut_answer_of_a_custom_model_do_not_run() {
    let wipe = Tool::with_permit("wipe", "", json!({}), |_| async { Ok::<_, OperationError>("wiped") });
    let output = Agent::builder("own", Cut).tool(wipe).build().run("Tidy up.").await.unwrap();
    assert!(output.messages[2].text().contains("the answer was cut (`MAX_TOKENS`)"), "{output:?}");
}

/// Rails read the arguments of a cut call as text, also where the text happens to be complete: it may not be all.
#[tokio::test]
async fn a_rail_reads_the_arguments_of_a_cut_call_as_text() {
    #[rail(on = [PreToolCall])]
    fn reads(call: &ToolCallInputs, ctx: &RailContext) {
        tests::note(ctx, call.arguments.to_string());
    }
    for dialect in DIALECTS {
        for (reason, expected) in
            [(reasons(dialect).0[0], r#""{\"path\":\"/\"}""#), (reasons(dialect).1, r#"{"path":"/"}"#)]
        {
            let answers = [answer(dialect, How::AtOnce, ARGUMENTS[4], reason), Answer::json(&dialect.hello())];
            let server = Server::start(answers).await;
            let wipe = Tool::new("wipe", "", json!({}), |_: Value| async { Ok::<_, OperationError>("wiped") });
            let agent = Agent::builder("live", dialect.model(&server.url)).tool(wipe).rails(rail_chain![reads]).build();
            let mut ctx = RunContext::new("live");
            agent.run_in("Tidy up.", &mut ctx).await.unwrap();
            assert_eq!(tests::notes(&ctx), [expected], "{dialect:?} {reason}");
            server.requests().await;
        }
    }
}
