//! The messages protocol: what is sent, and what its answers become.

use std::sync::Mutex;

use exo_rails::message::{Content, ContentPart, Message, Role, ToolCall, ToolSpec};
use exo_rails::prelude::*;
use exo_rails::{ModelDelta, NoRails};
use exo_rails_agent::{Agent, Model, Session};
use futures_util::TryStreamExt;
use serde_json::{Value, json};

use crate::dialect::{Dialect, message_events, messages};
use crate::server::{Answer, Request, Server};
use crate::{BOTH, How, KEY, ask, prompt};

fn hello() -> Answer {
    Answer::json(&Dialect::Messages.hello())
}

/// What is sent for this request.
async fn sent(how: How, request: ModelCallInputs) -> Request {
    let server = Server::start([hello()]).await;
    ask(&Dialect::Messages.model(&server.url), how, request).await.unwrap();
    server.requests().await.remove(0)
}

async fn sent_messages(messages: Vec<Message>) -> Value {
    sent(How::AtOnce, ModelCallInputs::new(messages)).await.body
}

#[tokio::test]
async fn a_request_is_sent_to_the_endpoint_with_its_headers() {
    for how in BOTH {
        let Request { head, body } = sent(how, prompt()).await;
        let streamed = matches!(how, How::Streamed);
        for line in [
            "POST /v1/messages HTTP/1.1\r\n".to_owned(),
            format!("x-api-key: {KEY}\r\n"),
            "anthropic-version: 2023-06-01\r\n".to_owned(),
            "content-type: application/json\r\n".to_owned(),
            format!("accept: {}\r\n", if streamed { "text/event-stream" } else { "application/json" }),
        ] {
            assert!(head.contains(&line), "{head}");
        }
        assert!(!head.contains("authorization"), "{head}");
        let said = json!([{ "role": "user", "content": [{ "type": "text", "text": "Where is my order?" }] }]);
        let mut expected = json!({ "model": "test-model", "max_tokens": 4096, "messages": said });
        if streamed {
            expected["stream"] = true.into();
        }
        assert_eq!(body, expected);
    }
}

#[tokio::test]
async fn the_address_is_given_with_or_without_the_version() {
    for (added, path) in [("", "/v1/messages"), ("/v1/", "/v1/messages"), ("/proxy?key=1", "/proxy/v1/messages?key=1")]
    {
        let server = Server::start([hello()]).await;
        let address = server.url.replace("/v1", added);
        ask(&messages(&address).build().unwrap(), How::AtOnce, prompt()).await.unwrap();
        let request = server.requests().await.remove(0);
        assert!(request.head.starts_with(&format!("POST {path} HTTP/1.1\r\n")), "{}", request.head);
    }
}

#[tokio::test]
async fn options_are_sent_under_the_names_of_this_protocol() {
    let function = json!({ "type": "function", "function": { "name": "search" } });
    let cases = [
        (json!({ "temperature": 0, "top_k": 5 }), json!({ "temperature": 0, "top_k": 5 })),
        (json!({ "max_tokens": 7 }), json!({ "max_tokens": 7 })),
        (json!({ "max_completion_tokens": 8 }), json!({ "max_tokens": 8 })),
        (json!({ "max_completion_tokens": 8, "max_tokens": 7 }), json!({ "max_tokens": 7 })),
        (json!({ "stop": "END" }), json!({ "stop_sequences": ["END"] })),
        (json!({ "stop": ["A", "B"] }), json!({ "stop_sequences": ["A", "B"] })),
        (json!({ "tool_choice": "required" }), json!({ "tool_choice": { "type": "any" } })),
        (json!({ "tool_choice": "none" }), json!({ "tool_choice": { "type": "none" } })),
        (json!({ "tool_choice": function }), json!({ "tool_choice": { "type": "tool", "name": "search" } })),
        (json!({ "tool_choice": { "type": "any" } }), json!({ "tool_choice": { "type": "any" } })),
        (
            json!({ "parallel_tool_calls": false }),
            json!({ "tool_choice": { "type": "auto", "disable_parallel_tool_use": true } }),
        ),
        (json!({ "parallel_tool_calls": false, "tool_choice": "none" }), json!({ "tool_choice": { "type": "none" } })),
        (json!({ "parallel_tool_calls": true, "stream": true, "stream_options": {} }), json!({})),
        (
            json!({ "thinking": { "type": "enabled", "budget_tokens": 1024 } }),
            json!({ "thinking": { "type": "enabled", "budget_tokens": 1024 } }),
        ),
    ];
    for (options, expected) in cases {
        let mut request = prompt();
        request.tools = vec![ToolSpec::new("search", "Finds.", json!({ "type": "object" }))];
        request.extra = options.as_object().cloned().unwrap();
        let mut body = sent(How::AtOnce, request).await.body;
        let body = body.as_object_mut().unwrap();
        if expected.get("max_tokens").is_none() {
            assert_eq!(body.remove("max_tokens"), Some(4096.into()));
        }
        body.retain(|name, _| !["model", "messages", "tools"].contains(&name.as_str()));
        assert_eq!(json!(body), expected, "{options}");
    }
    let mut request = prompt();
    request.model = Some("another".into());
    assert_eq!(sent(How::AtOnce, request).await.body["model"], "another");
    let server = Server::start([hello()]).await;
    ask(&messages(&server.url).max_tokens(99).build().unwrap(), How::AtOnce, prompt()).await.unwrap();
    assert_eq!(server.requests().await[0].body["max_tokens"], 99);
}

#[tokio::test]
async fn tools_are_sent_with_their_schemas() {
    let mut request = prompt();
    let mut cached = ToolSpec::new("search", "Finds.", json!({ "type": "object", "properties": {} }));
    cached.extra.insert("cache_control".into(), json!({ "type": "ephemeral" }));
    cached.function.extra.insert("strict".into(), true.into());
    request.tools = vec![cached, ToolSpec::new("now", "", Value::Null)];
    let expected = json!([
        {
            "name": "search", "description": "Finds.", "input_schema": { "type": "object", "properties": {} },
            "cache_control": { "type": "ephemeral" }, "strict": true,
        },
        { "name": "now", "input_schema": { "type": "object" } },
    ]);
    assert_eq!(sent(How::AtOnce, request).await.body["tools"], expected);
}

fn part(kind: &str, extra: &Value) -> ContentPart {
    ContentPart { kind: kind.to_owned(), text: None, extra: extra.as_object().cloned().unwrap() }
}

fn text_part(text: &str) -> ContentPart {
    ContentPart { kind: "text".to_owned(), text: Some(text.to_owned()), ..ContentPart::default() }
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

#[tokio::test]
async fn instructions_are_separate_and_neighbours_of_one_role_are_merged() {
    let said = |role, text: &str| Message::new(role, text);
    let body = sent_messages(vec![
        Message::system("Be kind."),
        Message::user("one"),
        Message::user(""),
        Message::user("two"),
        said(Role::Developer, "Be short."),
        said(Role::Other("critic".into()), "three"),
        Message::assistant("four"),
        Message::assistant(""),
        Message::user("five"),
    ])
    .await;
    assert_eq!(body["system"], json!([text("Be kind."), text("Be short.")]));
    let expected = json!([
        { "role": "user", "content": [text("one"), text("two"), text("three")] },
        { "role": "assistant", "content": [text("four")] },
        { "role": "user", "content": [text("five")] },
    ]);
    assert_eq!(body["messages"], expected);
}

#[tokio::test]
async fn calls_and_their_outputs_are_blocks() {
    let raw = |id: &str, arguments: &str| {
        let mut call = ToolCall::new(id, "search", &Value::Null);
        call.function.arguments = arguments.to_owned();
        call
    };
    let calls =
        vec![ToolCall::new("a", "search", &json!({ "q": "ü" })), raw("b", ""), raw("c", "{ no json"), raw("d", "[1]")];
    let assistant = Message { tool_calls: calls, ..Message::assistant("Let me look.") };
    let parts =
        Content::Parts(vec![text_part("seen"), part("image", &json!({ "source": { "type": "url", "url": "u" } }))]);
    let body = sent_messages(vec![
        Message::user("Find it."),
        assistant,
        Message::tool("a", "late"),
        Message::tool("b", ""),
        Message::tool("c", "none"),
        Message::tool("d", parts),
        Message::user("And?"),
    ])
    .await;
    let used = |id: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": "search", "input": input });
    let result = |id: &str, content: Value| json!({ "type": "tool_result", "tool_use_id": id, "content": content });
    let expected = json!([
        { "role": "user", "content": [text("Find it.")] },
        { "role": "assistant", "content": [
            text("Let me look."),
            used("a", json!({ "q": "ü" })),
            used("b", json!({})),
            used("c", json!({ "unreadable_arguments": "{ no json" })),
            used("d", json!({ "unreadable_arguments": "[1]" })),
        ] },
        { "role": "user", "content": [
            result("a", json!([text("late")])),
            result("b", json!([])),
            result("c", json!([text("none")])),
            result("d", json!([text("seen"), { "type": "image", "source": { "type": "url", "url": "u" } }])),
            text("And?"),
        ] },
    ]);
    assert_eq!(body["messages"], expected);
}

#[tokio::test]
async fn images_and_files_are_blocks() {
    let cached = json!({ "image_url": { "url": "https://a.b/c.png" }, "cache_control": { "type": "ephemeral" } });
    let cases = [
        (
            part("image_url", &json!({ "image_url": { "url": "data:image/png;base64,AAAA", "detail": "low" } })),
            json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } }),
        ),
        (
            part("image_url", &cached),
            json!({
                "type": "image", "source": { "type": "url", "url": "https://a.b/c.png" },
                "cache_control": { "type": "ephemeral" },
            }),
        ),
        (
            part("file", &json!({ "file": { "filename": "a.pdf", "file_data": "data:application/pdf;base64,BB" } })),
            json!({
                "type": "document", "title": "a.pdf",
                "source": { "type": "base64", "media_type": "application/pdf", "data": "BB" },
            }),
        ),
        (
            part("file", &json!({ "file": { "file_id": "f-1" } })),
            json!({ "type": "document", "source": { "type": "file", "file_id": "f-1" } }),
        ),
        (
            part("search_result", &json!({ "source": "s", "title": "t" })),
            json!({ "type": "search_result", "source": "s", "title": "t" }),
        ),
    ];
    for (part, expected) in cases {
        let body =
            sent_messages(vec![Message::user(Content::Parts(vec![text_part("Look:"), text_part(""), part]))]).await;
        assert_eq!(body["messages"][0]["content"], json!([text("Look:"), expected]));
    }
    for wrong in [
        part("input_audio", &json!({ "input_audio": { "data": "AA", "format": "wav" } })),
        part("image_url", &json!({ "image_url": {} })),
        part("file", &json!({})),
    ] {
        let message =
            format!("a message has a part of the type `{}` that the messages protocol cannot send", wrong.kind);
        let request = ModelCallInputs::new(vec![Message::user(Content::Parts(vec![wrong]))]);
        let error = ask(&Dialect::Messages.model("http://127.0.0.1:9"), How::AtOnce, request).await.unwrap_err();
        assert_eq!((error.kind, error.message), (OperationErrorKind::InvalidRequest, message));
    }
}

/// An answer as a server gives it at once, and in events.
struct Case {
    name: &'static str,
    whole: Value,
    events: Vec<Value>,
}

fn begin(usage: &Value) -> Value {
    let message = json!({
        "id": "m-1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    json!({ "type": "message_start", "message": message })
}

fn whole(content: &Value, reason: &str, usage: &Value) -> Value {
    json!({
        "id": "m-1", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": reason, "stop_sequence": null, "usage": usage,
    })
}

fn start(index: usize, block: &Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn delta(index: usize, delta: &Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn stop(index: usize) -> Value {
    json!({ "type": "content_block_stop", "index": index })
}

fn ended(reason: &str, usage: &Value) -> [Value; 2] {
    let delta = json!({ "stop_reason": reason, "stop_sequence": null });
    [json!({ "type": "message_delta", "delta": delta, "usage": usage }), json!({ "type": "message_stop" })]
}

fn said() -> Case {
    let usage = json!({
        "input_tokens": 9, "cache_creation_input_tokens": 3, "cache_read_input_tokens": 2, "output_tokens": 4,
        "service_tier": "standard", "server_tool_use": null,
    });
    let mut first = usage.clone();
    first["output_tokens"] = 1.into();
    let events = [
        begin(&first),
        start(0, &json!({ "type": "text", "text": "", "citations": null })),
        json!({ "type": "ping" }),
        delta(0, &json!({ "type": "text_delta", "text": "Grü" })),
        delta(0, &json!({ "type": "text_delta", "text": "ße, 世" })),
        delta(0, &json!({ "type": "text_delta", "text": "界 🦀!" })),
        stop(0),
    ];
    Case {
        name: "a text",
        whole: whole(&json!([text("Grüße, 世界 🦀!")]), "end_turn", &usage),
        events: events.into_iter().chain(ended("end_turn", &json!({ "output_tokens": 4 }))).collect(),
    }
}

fn thought_and_called() -> Case {
    let thinking = json!({ "type": "thinking", "thinking": "Why not?", "signature": "EqQB" });
    let hidden = json!({ "type": "redacted_thinking", "data": "xyz" });
    let call =
        |id: &str, name: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": name, "input": input });
    let usage = json!({ "input_tokens": 9, "output_tokens": 40 });
    let content = [
        thinking,
        hidden.clone(),
        text("Let me look."),
        call("a", "search", json!({ "q": "ü" })),
        call("b", "now", json!({})),
        call("c", "read", json!({ "n": 1 })),
    ];
    let json_delta = |index, json: &str| delta(index, &json!({ "type": "input_json_delta", "partial_json": json }));
    let events = [
        begin(&usage),
        start(0, &json!({ "type": "thinking", "thinking": "", "signature": "" })),
        delta(0, &json!({ "type": "thinking_delta", "thinking": "Why " })),
        delta(0, &json!({ "type": "thinking_delta", "thinking": "not?" })),
        delta(0, &json!({ "type": "signature_delta", "signature": "EqQB" })),
        stop(0),
        start(1, &hidden),
        stop(1),
        start(2, &text("")),
        delta(2, &json!({ "type": "text_delta", "text": "Let me look." })),
        stop(2),
        start(3, &call("a", "search", json!({}))),
        json_delta(3, ""),
        json_delta(3, "{\"q\":"),
        json_delta(3, "\"ü\"}"),
        stop(3),
        start(4, &call("b", "now", json!({}))),
        json_delta(4, ""),
        stop(4),
        // Some servers send the arguments at once.
        start(5, &call("c", "read", json!({ "n": 1 }))),
        stop(5),
    ];
    Case {
        name: "thinking and calls",
        whole: whole(&json!(content), "tool_use", &usage),
        events: events.into_iter().chain(ended("tool_use", &json!({ "output_tokens": 40 }))).collect(),
    }
}

fn cited_and_searched() -> Case {
    let citation = |n: u32| json!({ "type": "char_location", "cited_text": "late", "document_index": n });
    let search = |input: Value| json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": input });
    let results = json!({ "type": "web_search_tool_result", "tool_use_id": "s", "content": [{ "url": "u" }] });
    let usage = json!({ "input_tokens": 1, "output_tokens": 2 });
    let first = json!({ "type": "text", "text": "It is late", "citations": [citation(0), citation(1)] });
    let content = [search(json!({ "query": "q" })), results.clone(), first, text(".")];
    let events = [
        begin(&usage),
        start(0, &search(json!({}))),
        delta(0, &json!({ "type": "input_json_delta", "partial_json": "{\"query\":" })),
        delta(0, &json!({ "type": "input_json_delta", "partial_json": "\"q\"}" })),
        stop(0),
        start(1, &results),
        stop(1),
        start(2, &json!({ "type": "text", "text": "", "citations": [] })),
        delta(2, &json!({ "type": "citations_delta", "citation": citation(0) })),
        delta(2, &json!({ "type": "text_delta", "text": "It is late" })),
        delta(2, &json!({ "type": "citations_delta", "citation": citation(1) })),
        delta(2, &json!({ "type": "newer_than_this_delta", "x": 1 })),
        stop(2),
        start(3, &text(".")),
        stop(3),
        json!({ "type": "newer_than_this_event", "x": 1 }),
    ];
    Case {
        name: "citations and a tool of the server",
        whole: whole(&json!(content), "pause_turn", &usage),
        events: events.into_iter().chain(ended("pause_turn", &usage)).collect(),
    }
}

fn nothing() -> Case {
    let usage = json!({ "input_tokens": 1, "output_tokens": 2 });
    Case {
        name: "nothing",
        whole: whole(&json!([]), "end_turn", &usage),
        events: [begin(&usage)].into_iter().chain(ended("end_turn", &usage)).collect(),
    }
}

async fn answer(how: How, answer: Answer) -> ModelResponse {
    let server = Server::start([answer]).await;
    let response = ask(&Dialect::Messages.model(&server.url), how, prompt()).await.unwrap();
    server.requests().await;
    response
}

#[tokio::test]
async fn a_streamed_answer_does_not_depend_on_the_size_of_its_pieces() {
    for Case { name, whole, events } in [said(), thought_and_called(), cited_and_searched(), nothing()] {
        let at_once = answer(How::AtOnce, Answer::json(&whole)).await;
        let events = message_events(&events);
        for size in [1, 2, 3, 7, 64, events.len()] {
            let streamed = answer(How::Streamed, Answer::stream(&events, size).ended()).await;
            assert_eq!(streamed, at_once, "{name} in pieces of {size}");
        }
        assert_eq!(
            answer(How::Streamed, Answer::json(&whole)).await,
            at_once,
            "{name} from a server that does not stream"
        );
        let unfinished = events.replace("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", "");
        assert_eq!(
            answer(How::Streamed, Answer::stream(&unfinished, 50).ended()).await,
            at_once,
            "{name} without a last event"
        );
    }
}

#[tokio::test]
async fn comments_and_other_fields_around_events_do_not_change_the_answer() {
    let Case { whole, events, .. } = said();
    let at_once = answer(How::AtOnce, Answer::json(&whole)).await;
    let plain = message_events(&events);
    let cases = [
        ("comments", format!(": processing\n\n{}", plain.replace("\n\n", "\n\n: keep-alive\n\n"))),
        ("carriage returns", plain.replace('\n', "\r\n")),
        (
            "no names",
            plain.lines().filter(|line| !line.starts_with("event:")).fold(String::new(), |all, line| all + line + "\n"),
        ),
        ("other fields", plain.replace("data: ", "id: 1\nretry: 5\ndata:")),
        ("more after the end", plain.clone() + "data: { never read\n\n"),
        ("no line after the last event", plain.trim_end().to_owned()),
        ("empty events", plain.replace("event: ", "data:\n\nevent: ")),
    ];
    for (name, events) in cases {
        let streamed = answer(How::Streamed, Answer::stream(&events, 50).ended()).await;
        assert_eq!(streamed, at_once, "{name}");
    }
}

#[tokio::test]
async fn each_piece_is_yielded_once_and_unchanged() {
    let server = Server::start([Answer::stream(&message_events(&said().events), 50).ended()]).await;
    let (model, deltas) = (&Dialect::Messages.model(&server.url), &Mutex::default());
    let collect = |permit| async move {
        *deltas.lock().unwrap() = model.stream(permit).try_collect::<Vec<_>>().await?;
        Ok::<_, OperationError>(ModelResponse::default())
    };
    NoRails.guard_llm_call(prompt(), &mut RunContext::new("live"), collect).await.unwrap();
    server.requests().await;
    let text = |text: &str| ModelDelta::Text(text.to_owned());
    let fields = |fields: Value| ModelDelta::ResponseFields(fields.as_object().cloned().unwrap());
    let usage = |completion: u64| {
        let usage = json!({
            "prompt_tokens": 14, "completion_tokens": completion, "total_tokens": 14 + completion,
            "cache_creation_input_tokens": 3, "cache_read_input_tokens": 2, "service_tier": "standard",
        });
        ModelDelta::Usage(serde_json::from_value(usage).unwrap())
    };
    let expected = [
        fields(json!({ "id": "m-1", "model": "m" })),
        // What the request has cost is known when the answer begins, also of one that breaks off.
        usage(1),
        text("Grü"),
        text("ße, 世"),
        text("界 🦀!"),
        fields(json!({ "stop_reason": "end_turn" })),
        ModelDelta::Finish("stop".to_owned()),
        usage(4),
    ];
    assert_eq!(*deltas.lock().unwrap(), expected);
}

#[tokio::test]
async fn an_answer_contains_all_fields_of_the_server() {
    let usage = json!({
        "prompt_tokens": 14, "completion_tokens": 4, "total_tokens": 18,
        "cache_creation_input_tokens": 3, "cache_read_input_tokens": 2, "service_tier": "standard",
    });
    let expected = json!({
        "message": { "role": "assistant", "content": "Grüße, 世界 🦀!" }, "finish_reason": "stop", "usage": usage,
        "id": "m-1", "model": "m", "stop_reason": "end_turn",
    });
    assert_eq!(json!(answer(How::AtOnce, Answer::json(&said().whole)).await), expected);
    let response = answer(How::AtOnce, Answer::json(&thought_and_called().whole)).await;
    assert_eq!(response.finish_reason.as_deref(), Some("tool_calls"));
    let search = ToolCall::new("a", "search", &json!({ "q": "ü" }));
    assert_eq!((&response.message.tool_calls[0], response.message.tool_calls.len()), (&search, 3));
    let response = answer(How::AtOnce, Answer::json(&cited_and_searched().whole)).await;
    assert_eq!(response.message.text(), "It is late.");
    assert_eq!(response.message.extra["citations"].as_array().map(Vec::len), Some(2));
    assert_eq!(response.message.extra["anthropic_blocks"][0]["input"], json!({ "query": "q" }));
}

#[tokio::test]
async fn the_reason_to_stop_is_in_the_words_of_chat_completions() {
    let cases = [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_use", "tool_calls"),
        ("refusal", "content_filter"),
        ("pause_turn", "pause_turn"),
        ("newer", "newer"),
    ];
    for (reason, finish) in cases {
        let whole = whole(&json!([text("x")]), reason, &json!({}));
        let response = answer(How::AtOnce, Answer::json(&whole)).await;
        assert_eq!((response.finish_reason.as_deref(), &response.extra["stop_reason"]), (Some(finish), &json!(reason)));
    }
}

#[tokio::test]
async fn hostile_events_are_errors_and_never_a_panic() {
    let usage = json!({ "input_tokens": u64::MAX, "cache_read_input_tokens": u64::MAX, "output_tokens": u64::MAX });
    let orphan = delta(7, &json!({ "type": "text_delta", "text": "x" }));
    let misfit = delta(0, &json!({ "type": "thinking_delta", "thinking": "x" }));
    let cases = [
        (vec![begin(&json!({})), orphan], "it goes on with a block that has not begun"),
        (vec![begin(&json!({})), start(0, &text("")), misfit], "a piece does not fit its block"),
        (vec![begin(&json!({})), start(0, &json!({ "type": 7 }))], "a block has no `type`"),
        (vec![json!({ "type": "message_start" })], "missing field `message`"),
        (vec![json!([1, 2])], "cannot be read"),
        (vec![json!({ "no": "type" })], "missing field `type`"),
    ];
    for (events, told) in cases {
        let server = Server::start([Answer::stream(&message_events(&events), 20).ended()]).await;
        let error = ask(&Dialect::Messages.model(&server.url), How::Streamed, prompt()).await.unwrap_err();
        server.requests().await;
        assert!(
            error.kind == OperationErrorKind::InvalidResponse && error.message.contains(told),
            "{events:?}: {error}"
        );
    }
    let whole = whole(&json!([]), "end_turn", &usage);
    let usage = answer(How::AtOnce, Answer::json(&whole)).await.usage.unwrap();
    assert_eq!((usage.prompt_tokens, usage.total_tokens), (u64::MAX, u64::MAX));
}

/// What the model has thought goes back to it, and to nobody else.
#[tokio::test]
async fn an_agent_sends_thinking_back_with_the_output_of_its_tools() {
    let done = || Answer::json(&Dialect::Messages.hello());
    let server = Server::start([Answer::json(&thought_and_called().whole), done()]).await;
    let tools = ["search", "now", "read"].map(|name| {
        Tool::new(name, "Works.", json!({ "type": "object" }), |_: Value| async { Ok::<_, OperationError>("done") })
    });
    let agent = Agent::builder("live", Dialect::Messages.model(&server.url)).tools(tools).build();
    let mut session = Session::start(&agent, "s-1").await.unwrap();
    let output = session.run("Where is my order?").await.unwrap();
    assert_eq!((output.text.as_str(), output.steps, output.usage.completion_tokens), ("Hello", 2, 40));
    let conversation = session.messages().clone();
    session.end().await;
    let second = &server.requests().await[1].body["messages"];
    let kinds: Vec<_> = second[1]["content"].as_array().unwrap().iter().map(|block| block["type"].clone()).collect();
    assert_eq!(kinds, ["thinking", "redacted_thinking", "text", "tool_use", "tool_use", "tool_use"]);
    assert_eq!(second[1]["content"][0]["signature"], "EqQB");
    let results: Vec<_> =
        second[2]["content"].as_array().unwrap().iter().map(|block| block["tool_use_id"].clone()).collect();
    assert_eq!(results, ["a", "b", "c"]);

    let other = Server::start([Answer::json(&Dialect::Chat.hello())]).await;
    ask(&Dialect::Chat.model(&other.url), How::AtOnce, ModelCallInputs::new(conversation)).await.unwrap();
    assert!(!other.requests().await[0].body.to_string().contains("EqQB"));
}
