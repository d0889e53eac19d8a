//! Answers of chat completions: the same whether they are streamed or not.

use std::sync::Mutex;

use exo_rails::message::ToolCall;
use exo_rails::prelude::*;
use exo_rails::{ModelDelta, NoRails};
use exo_rails_agent::Model;
use futures_util::TryStreamExt;
use serde_json::{Value, json};

use crate::dialect::{Dialect, all_chat_events as all_events, chat_events as events};
use crate::server::{Answer, Server};
use crate::{How, ask, prompt};

/// An answer as a server gives it at once, and in pieces.
struct Case {
    name: &'static str,
    whole: Value,
    pieces: Vec<Value>,
}

/// What stands around each choice.
fn around(object: &str, choices: &Value, usage: &Value) -> Value {
    json!({ "id": "c-1", "object": object, "created": 7, "model": "m", "choices": choices, "usage": usage, "system_fingerprint": null })
}

fn whole(choice: &Value) -> Value {
    let usage = json!({ "prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13, "cached": 2 });
    around("chat.completion", &json!([choice]), &usage)
}

/// Pieces with these choices, and one with the usage.
fn pieces(choices: &[Value]) -> Vec<Value> {
    let usage = json!({ "prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13, "cached": 2 });
    let of = |choice: &Value| around("chat.completion.chunk", &json!([choice]), &Value::Null);
    choices.iter().map(of).chain([around("chat.completion.chunk", &json!([]), &usage)]).collect()
}

fn said(delta: &Value) -> Value {
    json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": null })
}

fn ended(reason: &str) -> Value {
    json!({ "index": 0, "delta": {}, "finish_reason": reason })
}

fn called(calls: &Value) -> Value {
    said(&json!({ "tool_calls": calls }))
}

fn text() -> Case {
    Case {
        name: "a text",
        whole: whole(&json!({
            "index": 0, "finish_reason": "stop", "logprobs": null,
            "message": { "role": "assistant", "content": "Grüße, 世界 🦀!", "refusal": null },
        })),
        pieces: pieces(&[
            said(&json!({ "role": "assistant", "content": "", "refusal": null })),
            said(&json!({ "content": "Grü" })),
            said(&json!({ "content": "ße, 世" })),
            said(&json!({ "content": "界 🦀!" })),
            ended("stop"),
        ]),
    }
}

fn two_calls() -> Case {
    Case {
        name: "two calls",
        whole: whole(&json!({
            "index": 0, "finish_reason": "tool_calls",
            "message": { "role": "assistant", "content": null, "tool_calls": [
                { "id": "a", "type": "function", "function": { "name": "search", "arguments": "{\"q\":\"ü\"}" } },
                { "id": "b", "type": "function", "function": { "name": "read", "arguments": "{}" }, "x_signature": "s" },
            ] },
        })),
        pieces: pieces(&[
            said(&json!({ "role": "assistant", "content": null })),
            called(
                &json!([{ "index": 0, "id": "a", "type": "function", "function": { "name": "search", "arguments": "" } }]),
            ),
            called(&json!([{ "index": 0, "function": { "arguments": "{\"q\":" } }])),
            called(&json!([{ "index": 0, "function": { "arguments": "\"ü\"}" } }])),
            called(
                &json!([{ "index": 1, "id": "b", "type": "function", "function": { "name": "read", "arguments": "{}" }, "x_signature": "s" }]),
            ),
            ended("tool_calls"),
        ]),
    }
}

fn unknown_fields() -> Case {
    Case {
        name: "unknown fields",
        whole: whole(&json!({
            "index": 0, "finish_reason": "stop", "logprobs": { "content": [{ "token": "y" }, { "token": "y" }] },
            "message": { "role": "assistant", "content": "yy", "reasoning_content": "Why not?", "x_level": 2, "annotations": [1, 2] },
        })),
        pieces: pieces(&[
            said(&json!({ "role": "assistant", "reasoning_content": "Why ", "x_level": 1, "annotations": [1] })),
            said(&json!({ "reasoning_content": "not?", "x_level": 2, "annotations": [2] })),
            json!({ "index": 0, "delta": { "content": "y" }, "logprobs": { "content": [{ "token": "y" }] } }),
            json!({ "index": 0, "delta": { "content": "y" }, "logprobs": { "content": [{ "token": "y" }] } }),
            ended("stop"),
        ]),
    }
}

fn nothing() -> Case {
    Case {
        name: "nothing",
        whole: whole(
            &json!({ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": null } }),
        ),
        pieces: pieces(&[said(&json!({ "role": "assistant", "content": "" })), ended("stop")]),
    }
}

fn first_choice() -> Case {
    let other =
        json!({ "index": 1, "finish_reason": "length", "message": { "role": "assistant", "content": "other" } });
    let first = json!({ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": "first" } });
    Case {
        name: "the first choice of two",
        whole: around("chat.completion", &json!([other, first]), &Value::Null),
        pieces: vec![
            around(
                "",
                &json!([{ "index": 1, "delta": { "content": "other" }, "finish_reason": "length" }]),
                &Value::Null,
            ),
            around(
                "",
                &json!([{ "index": 0, "delta": { "content": "first" }, "finish_reason": "stop" }]),
                &Value::Null,
            ),
        ],
    }
}

async fn answer(how: How, answer: Answer) -> Result<ModelResponse, OperationError> {
    let server = Server::start([answer]).await;
    let response = ask(&Dialect::Chat.model(&server.url), how, prompt()).await;
    server.requests().await;
    response
}

#[tokio::test]
async fn a_streamed_answer_does_not_depend_on_the_size_of_its_pieces() {
    for Case { name, whole, pieces } in [text(), two_calls(), unknown_fields(), nothing(), first_choice()] {
        let at_once = answer(How::AtOnce, Answer::json(&whole)).await.unwrap();
        let events = all_events(&pieces);
        for size in [1, 2, 3, 7, 64, events.len()] {
            let streamed = answer(How::Streamed, Answer::stream(&events, size).ended()).await.unwrap();
            assert_eq!(streamed, at_once, "{name} in pieces of {size}");
        }
    }
}

#[tokio::test]
async fn an_answer_contains_all_fields_of_the_server() {
    let response = answer(How::AtOnce, Answer::json(&unknown_fields().whole)).await.unwrap();
    let expected = json!({
        "message": {
            "role": "assistant", "content": "yy", "reasoning_content": "Why not?", "x_level": 2, "annotations": [1, 2],
        },
        "finish_reason": "stop",
        "usage": { "prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13, "cached": 2 },
        "logprobs": { "content": [{ "token": "y" }, { "token": "y" }] },
        "id": "c-1", "created": 7, "model": "m",
    });
    assert_eq!(json!(response), expected);
    let response = answer(How::AtOnce, Answer::json(&two_calls().whole)).await.unwrap();
    assert_eq!((response.message.content, response.finish_reason.as_deref()), (None, Some("tool_calls")));
    assert_eq!(response.message.tool_calls[0], ToolCall::new("a", "search", &json!({ "q": "ü" })));
    let response = answer(How::AtOnce, Answer::json(&first_choice().whole)).await.unwrap();
    assert_eq!((response.message.text().as_ref(), response.finish_reason.as_deref()), ("first", Some("stop")));
}

#[tokio::test]
async fn comments_and_other_fields_around_events_do_not_change_the_answer() {
    let Case { whole, pieces, .. } = text();
    let at_once = answer(How::AtOnce, Answer::json(&whole)).await.unwrap();
    let plain = events(&pieces);
    let cases = [
        ("comments", format!(": processing\n\n{}:\n\ndata: [DONE]\n\n", plain.replace("\n\n", "\n\n: keep-alive\n\n"))),
        ("carriage returns", all_events(&pieces).replace('\n', "\r\n")),
        ("other fields", plain.replace("data: ", "event: message\nid: 1\ndata:") + "data:[DONE]\n\n"),
        ("more after the end", all_events(&pieces) + "data: { never read\n\n"),
        ("no line after the last event", plain.clone() + "data: [DONE]"),
        ("no word at the end", plain.clone()),
        ("no line after the last piece", plain.trim_end().to_owned()),
        ("empty events", plain.replace("data: ", "data:\n\ndata: ") + "data: [DONE]\n\n"),
        ("padding", all_events(&pieces).replace("\"id\":", "\"obfuscation\":\"xyz\",\"id\":")),
    ];
    for (name, events) in cases {
        let streamed = answer(How::Streamed, Answer::stream(&events, 50).ended()).await;
        assert_eq!(streamed.as_ref().ok(), Some(&at_once), "{name}: {streamed:?}");
    }
}

#[tokio::test]
async fn each_piece_is_yielded_once_and_unchanged() {
    let server = Server::start([Answer::stream(&all_events(&text().pieces), 50).ended()]).await;
    let (model, deltas) = (&Dialect::Chat.model(&server.url), &Mutex::default());
    let collect = |permit| async move {
        *deltas.lock().unwrap() = model.stream(permit).try_collect::<Vec<_>>().await?;
        Ok::<_, OperationError>(ModelResponse::default())
    };
    NoRails.guard_llm_call(prompt(), &mut RunContext::new("live"), collect).await.unwrap();
    server.requests().await;
    let text = |text: &str| ModelDelta::Text(text.to_owned());
    let around = json!({ "id": "c-1", "created": 7, "model": "m" });
    let usage = json!({ "prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13, "cached": 2 });
    let expected = [
        ModelDelta::ResponseFields(around.as_object().cloned().unwrap()),
        text("Grü"),
        text("ße, 世"),
        text("界 🦀!"),
        ModelDelta::Finish("stop".to_owned()),
        ModelDelta::Usage(serde_json::from_value(usage).unwrap()),
    ];
    assert_eq!(*deltas.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_server_that_does_not_stream_answers_at_once() {
    let Case { whole, .. } = two_calls();
    let at_once = answer(How::AtOnce, Answer::json(&whole)).await.unwrap();
    assert_eq!(answer(How::Streamed, Answer::json(&whole)).await.unwrap(), at_once);
}
