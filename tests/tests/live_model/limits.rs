//! Answers that would fill the memory or never end.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use exo_rails::NoRails;
use exo_rails::OperationErrorKind::{InvalidResponse, Timeout};
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model};
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::dialect::{DIALECTS, Dialect, all_chat_events, chat, message_events, messages};
use crate::server::{Answer, Server};
use crate::{BOTH, How, ask, prompt};

/// Sets the same limits of either model.
macro_rules! limited {
    ($dialect:expr, $url:expr, $($method:ident($limit:expr)),*) => {{
        let model: Box<dyn Model> = match $dialect {
            Dialect::Chat => Box::new(chat($url)$(.$method($limit))*.build().unwrap()),
            Dialect::Messages => Box::new(messages($url)$(.$method($limit))*.build().unwrap()),
        };
        model
    }};
}

/// An answer with these fields beside its text, as a whole or as an event with them.
fn with_field(dialect: Dialect, how: How, field: &Value) -> Answer {
    let mut whole = dialect.hello();
    whole["field"] = field.clone();
    match (how, dialect) {
        (How::AtOnce, _) => Answer::json(&whole),
        (How::Streamed, Dialect::Chat) => {
            let piece =
                json!({ "field": field, "choices": [{ "delta": { "content": "Hello" }, "finish_reason": "stop" }] });
            Answer::stream(&all_chat_events(&[piece]), 1 << 20).ended()
        }
        (How::Streamed, Dialect::Messages) => {
            let start = json!({ "type": "message_start", "message": { "content": [], "field": field } });
            Answer::stream(&(message_events(&[start]) + &dialect.finish() + &dialect.last()), 1 << 20).ended()
        }
    }
}

fn small_objects(bytes: usize) -> Value {
    vec![json!({ "a": 0 }); bytes / 8].into()
}

#[tokio::test]
async fn every_limit_is_an_error_that_names_it() {
    let sets = |method: &str| format!(": the method `{method}` of the model's builder sets this limit");
    let long = Value::from("x".repeat(5_000));
    for (dialect, how) in DIALECTS.into_iter().flat_map(|dialect| BOTH.map(|how| (dialect, how))) {
        let mut cases = vec![
            (long.clone(), "the answer is longer than 4000 bytes".to_owned() + &sets("max_answer_bytes")),
            (
                small_objects(3_000),
                "the JSON of the answer would take more than 100000 bytes of memory".to_owned()
                    + &sets("max_answer_memory"),
            ),
        ];
        if let How::Streamed = how {
            let event = "an event of the answer is longer than 3500 bytes".to_owned() + &sets("max_event_bytes");
            cases.push(("x".repeat(3_600).into(), event));
        }
        for (field, message) in cases {
            let server = Server::start([with_field(dialect, how, &field)]).await;
            let model = limited!(
                dialect,
                &server.url,
                max_answer_bytes(4_000),
                max_event_bytes(3_500),
                max_answer_memory(100_000)
            );
            let error = ask(&model, how, prompt()).await.unwrap_err();
            assert!(error.kind == InvalidResponse && error.message == message, "{dialect:?} {how:?} {error:?}");
            server.requests().await;
        }
    }
}

#[tokio::test]
async fn the_memory_for_many_short_events_is_bounded() {
    // Each event has what a decoder keeps in another way.
    let fields = json!({ "a": [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}] });
    let chat_piece = |n: usize| match n % 3 {
        0 => json!({ "list": fields["a"], "choices": [] }),
        1 => json!({ "choices": [{ "delta": { "list": fields["a"] } }] }),
        _ => json!({ "choices": [{ "delta": { "tool_calls": [{ "index": n, "id": "c", "x": fields }] } }] }),
    };
    let block = |n: usize| {
        let block = json!({ "type": "thinking", "x": fields });
        json!({ "type": "content_block_start", "index": n, "content_block": block })
    };
    let begin = json!({ "type": "message_start", "message": { "content": [] } });
    let cases = [
        (Dialect::Chat, all_chat_events(&(0..300).map(chat_piece).collect::<Vec<_>>())),
        (Dialect::Messages, message_events(&std::iter::once(begin).chain((0..300).map(block)).collect::<Vec<_>>())),
    ];
    for (dialect, events) in cases {
        let server = Server::start([Answer::stream(&events, 1_000)]).await;
        let model = limited!(dialect, &server.url, max_answer_memory(1_000_000));
        let error = ask(&model, How::Streamed, prompt()).await.unwrap_err();
        assert!(error.message.contains("`max_answer_memory`"), "{dialect:?} {error:?}");
        server.requests().await;
    }
}

/// The JSON of an event is read before anybody knows that nothing of it is kept.
#[tokio::test]
async fn an_event_over_the_memory_limit_is_not_read_even_if_it_is_unused() {
    let cases = [
        (Dialect::Chat, all_chat_events(&[json!({ "choices": [{ "index": 1, "x": small_objects(3_000) }] })])),
        (Dialect::Messages, message_events(&[json!({ "type": "ping", "x": small_objects(3_000) })])),
    ];
    for (dialect, event) in cases {
        let events = dialect.half() + &event + &dialect.finish() + &dialect.last();
        let server = Server::start([Answer::stream(&events, 1 << 20).ended()]).await;
        let model = limited!(dialect, &server.url, max_answer_memory(100_000));
        let error = ask(&model, How::Streamed, prompt()).await.unwrap_err();
        assert!(error.message.contains("`max_answer_memory`"), "{dialect:?} {error:?}");
        server.requests().await;
    }
}

#[tokio::test]
async fn fields_that_each_piece_repeats_are_kept_once() {
    let filter = json!({ "hate": { "filtered": false }, "self_harm": { "filtered": false } });
    let piece = |text: &str| json!({ "filter": filter, "choices": [{ "delta": { "content": text }, "f": filter }] });
    let mut pieces = vec![piece("ha"); 500];
    pieces.push(json!({ "choices": [{ "finish_reason": "stop" }] }));
    let server = Server::start([Answer::stream(&all_chat_events(&pieces), 1_000).ended()]).await;
    let model = chat(&server.url).max_answer_memory(50_000).build().unwrap();
    let response = ask(&model, How::Streamed, prompt()).await.unwrap();
    assert_eq!((response.message.text().len(), &response.extra["filter"]), (1_000, &filter));
    server.requests().await;
}

#[tokio::test]
async fn an_endless_answer_ends_at_its_time_limit() {
    for (dialect, how) in DIALECTS.into_iter().flat_map(|dialect| BOTH.map(|how| (dialect, how))) {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{";
        let answer = match how {
            How::AtOnce => Answer::raw(head).then_silence(),
            How::Streamed => Answer::stream(&dialect.half(), 11).then_silence(),
        };
        let server = Server::start([answer]).await;
        let model = limited!(dialect, &server.url, answer_timeout(Duration::from_millis(200)));
        let error = ask(&model, how, prompt()).await.unwrap_err();
        let message = "the answer is not complete within 200ms: the method `answer_timeout` of the model's builder sets this limit";
        assert_eq!((error.kind, error.message.as_str()), (Timeout, message), "{dialect:?} {how:?}");
        server.requests().await;
    }
}

#[tokio::test]
async fn a_stream_that_is_always_ready_yields_to_other_tasks() {
    let piece = json!({ "choices": [{ "delta": { "content": "x" } }] });
    let server = Server::start([Answer::stream(&all_chat_events(&vec![piece; 2_000]), 1 << 20).ended()]).await;
    let model = chat(&server.url).build().unwrap();
    let polls = polls_of(&model).await;
    // A poll gives as many pieces as the runtime's budget allows, not all of them.
    assert!(polls >= 10, "{polls} polls");
    server.requests().await;
}

/// How often somebody is polled who waits for nothing but the stream.
async fn polls_of(model: &impl Model) -> usize {
    let polls = AtomicUsize::new(0);
    let call = |permit| async {
        let mut reading = pin!(async {
            let mut deltas = pin!(model.stream(permit));
            while deltas.next().await.is_some_and(|delta| delta.is_ok()) {}
        });
        poll_fn(|cx| {
            polls.fetch_add(1, Ordering::Relaxed);
            reading.as_mut().poll(cx)
        })
        .await;
        Ok::<_, OperationError>(ModelResponse::text("read"))
    };
    NoRails.guard_llm_call(prompt(), &mut RunContext::new("live"), call).await.unwrap();
    polls.into_inner()
}

#[tokio::test]
async fn no_more_tools_are_called_than_an_agent_allows() {
    let call = json!({ "id": "c", "type": "function", "function": { "name": "search", "arguments": "{}" } });
    let answer = |calls: usize| {
        let message = json!({ "tool_calls": vec![call.clone(); calls] });
        Answer::json(&json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] }))
    };
    let cases = [
        (
            vec![answer(257)],
            "the model asks for 257 tool calls in one answer, and the limit is 256: `AgentBuilder::max_calls_per_answer` sets it",
        ),
        (
            vec![answer(20), answer(20), answer(20)],
            "the model asks for 60 tool calls in one run, and the limit is 50: `AgentBuilder::max_calls_per_run` sets it",
        ),
    ];
    for (answers, message) in cases {
        let server = Server::start(answers).await;
        let search = Tool::new("search", "", json!({}), |_: Value| async { Ok::<_, OperationError>("none") });
        let model = chat(&server.url).build().unwrap();
        let agent = Agent::builder("live", model).tool(search).max_calls_per_run(50).build();
        let failed = agent.run("Search.").await.unwrap_err();
        let Some(error) = failed.error.failure() else { panic!("{failed:?}") };
        assert_eq!((error.kind, error.message.as_str()), (InvalidResponse, message));
        server.requests().await;
    }
}
