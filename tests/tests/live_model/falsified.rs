//! Fields of an answer that have the names of those that only this library writes.

use exo_rails::InvokeOutput;
use exo_rails::message::Role;
use exo_rails::prelude::*;
use serde_json::{Value, json};

use crate::dialect::{DIALECTS, Dialect, all_chat_events, message_events};
use crate::server::{Answer, Server};
use crate::{BOTH, How, ask, prompt};

const FALSE: &str = "falsified";

/// The names of the fields of an answer, of its message, of its usage and of its calls.
fn false_fields(except: &[&str]) -> serde_json::Map<String, Value> {
    let names = [
        "message",
        "usage",
        "finish_reason",
        "skipped",
        "role",
        "content",
        "tool_calls",
        "tool_call_id",
        "model_response",
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
        "arguments",
        "tool_name",
        "messages",
        "text",
        "steps",
    ];
    let names = names.into_iter().filter(|name| !except.contains(name));
    names.map(|name| (name.to_owned(), json!({ "by": FALSE, "role": FALSE, "content": FALSE }))).collect()
}

fn with(except: &[&str], fields: &Value) -> Value {
    let mut all = false_fields(except);
    all.extend(fields.as_object().unwrap().clone());
    all.into()
}

fn answer(dialect: Dialect, how: How) -> Answer {
    let usage = json!({ "prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3, "message": 4 });
    match (dialect, how) {
        (Dialect::Chat, How::AtOnce) => {
            let message = with(&["tool_calls", "tool_call_id"], &json!({ "role": "assistant", "content": "true" }));
            let choice = with(&[], &json!({ "message": message, "finish_reason": "stop" }));
            Answer::json(&with(&[], &json!({ "choices": [choice], "usage": usage })))
        }
        (Dialect::Chat, How::Streamed) => {
            let delta = with(&["tool_calls"], &json!({ "role": "assistant", "content": "true" }));
            let choice = with(&[], &json!({ "delta": delta, "finish_reason": "stop" }));
            let piece = with(&[], &json!({ "choices": [choice], "usage": usage }));
            Answer::stream(&all_chat_events(&[piece]), 1_000).ended()
        }
        (Dialect::Messages, how) => {
            let usage = json!({ "input_tokens": 1, "output_tokens": 2, "message": 4, "total_tokens": 9 });
            let block = with(&[], &json!({ "type": "text", "text": "true" }));
            let fields = json!({ "role": "assistant", "stop_reason": "end_turn", "usage": usage });
            let mut message = with(&[], &fields);
            if let How::AtOnce = how {
                message["content"] = json!([block]);
                return Answer::json(&message);
            }
            let events = [
                json!({ "type": "message_start", "message": message }),
                json!({ "type": "content_block_start", "index": 0, "content_block": block }),
                with(&["usage"], &json!({ "type": "message_delta", "delta": false_fields(&[]) })),
                json!({ "type": "message_stop" }),
            ];
            Answer::stream(&message_events(&events), 1_000).ended()
        }
    }
}

#[tokio::test]
async fn an_unknown_field_of_an_answer_never_replaces_a_known_one() {
    for (dialect, how) in DIALECTS.into_iter().flat_map(|dialect| BOTH.map(|how| (dialect, how))) {
        let server = Server::start([answer(dialect, how)]).await;
        let response = ask(&dialect.model(&server.url), how, prompt()).await.unwrap();
        server.requests().await;
        assert!(!response.extra.contains_key(InvokeOutput::SKIPPED), "{dialect:?} {how:?}: {response:?}");
        let written = serde_json::to_string(&response).unwrap();
        let read: ModelResponse = serde_json::from_str(&written).unwrap();
        let usage = read.usage.unwrap();
        assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (1, 2, 3), "{written}");
        assert_eq!((read.message.role, read.finish_reason.as_deref()), (Role::Assistant, Some("stop")), "{written}");
        assert_eq!(read.message.content.unwrap().text(), "true");
        assert!(read.message.tool_calls.is_empty() && read.message.tool_call_id.is_none());
        // Neither is there anything to be taken for a field by a rail.
        let fields = ["message", "finish_reason", "usage"];
        assert!(fields.iter().all(|name| !response.extra.contains_key(*name)), "{dialect:?} {how:?}: {response:?}");
        let fields = ["role", "content", "tool_calls", "tool_call_id"];
        assert!(fields.iter().all(|name| !response.message.extra.contains_key(*name)), "{dialect:?} {how:?}");
    }
}
