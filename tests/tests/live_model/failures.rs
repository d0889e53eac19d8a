//! What rails see when a server fails.

use std::time::Duration;

use exo_rails::OperationErrorKind::{
    self, Denied, InvalidRequest, InvalidResponse, NotFound, RateLimited, Timeout, Unavailable,
};
use exo_rails::prelude::*;
use serde_json::{Value, json};

use crate::dialect::{DIALECTS, Dialect};
use crate::server::{Answer, Server, nobody};
use crate::{BOTH, How, ask, prompt};

async fn failure(dialect: Dialect, how: How, answer: &Answer) -> OperationError {
    let server = Server::start([answer.clone()]).await;
    let error = ask(&dialect.model(&server.url), how, prompt()).await.unwrap_err();
    server.requests().await;
    error
}

fn every_way() -> impl Iterator<Item = (Dialect, How)> {
    DIALECTS.into_iter().flat_map(|dialect| BOTH.map(|how| (dialect, how)))
}

#[tokio::test]
async fn an_error_has_the_kind_of_its_status_and_the_message_of_the_server() {
    let object = r#"{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}"#;
    let overloaded =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r-1"}"#;
    let cases = [
        ("400 Bad Request", object, InvalidRequest, "slow down"),
        ("401 Unauthorized", r#"{"error":"who are you?"}"#, Denied, "who are you?"),
        ("403 Forbidden", r#"{"message":"not yours"}"#, Denied, "not yours"),
        ("404 Not Found", r#"{"detail":"Not Found"}"#, NotFound, "Not Found"),
        ("408 Request Timeout", "", Timeout, "the server answers 408 Request Timeout"),
        ("413 Payload Too Large", "", InvalidRequest, "the server answers 413 Payload Too Large"),
        ("422 Unprocessable Entity", r#"{"detail":[{"loc":["n"]}]}"#, InvalidRequest, r#"{"detail":[{"loc":["n"]}]}"#),
        ("429 Too Many Requests", object, RateLimited, "slow down"),
        ("500 Internal Server Error", "  out of memory\n", Unavailable, "out of memory"),
        ("503 Service Unavailable", "{ no json", Unavailable, "{ no json"),
        ("529 ", "", Unavailable, "the server answers 529 <unknown status code>"),
        ("529 ", overloaded, Unavailable, "Overloaded"),
    ];
    for (dialect, how) in every_way() {
        for (status, body, kind, message) in cases {
            let error = failure(dialect, how, &Answer::status(status, "", body)).await;
            let told = (error.kind, error.message.as_str(), error.status);
            assert_eq!(told, (kind, message, status[..3].parse().ok()), "{dialect:?} {how:?}");
            assert_eq!(error.retry_after, None);
        }
    }
}

#[tokio::test]
async fn a_long_message_of_the_server_is_shortened() {
    let answer = Answer::status("500 Internal Server Error", "", &"ü".repeat(200_000));
    for dialect in DIALECTS {
        assert_eq!(failure(dialect, How::AtOnce, &answer).await.message, "ü".repeat(1_000) + "…");
    }
}

#[tokio::test]
async fn an_error_contains_the_wait_that_the_server_asks_for() {
    let date = "Date: Sat, 21 Nov 2026 12:00:00 GMT\r\n";
    let cases = [
        ("Retry-After: 7\r\n".to_owned(), Some(7_000)),
        ("Retry-After: 1.5\r\n".to_owned(), Some(1_500)),
        (format!("{date}Retry-After: Sat, 21 Nov 2026 12:00:09 GMT\r\n"), Some(9_000)),
        (format!("{date}Retry-After: Sat, 21 Nov 2026 11:00:00 GMT\r\n"), Some(0)),
        ("Retry-After: Thu, 01 Jan 1970 00:00:01 GMT\r\n".to_owned(), Some(0)),
        ("Retry-After: 2\r\nretry-after-ms: 120\r\n".to_owned(), Some(120)),
        ("Retry-After: -1\r\n".to_owned(), None),
        ("Retry-After: 1e300\r\n".to_owned(), None),
        ("Retry-After: soon\r\n".to_owned(), None),
    ];
    for (headers, wait) in cases {
        for status in ["429 Too Many Requests", "503 Service Unavailable"] {
            for dialect in DIALECTS {
                let error = failure(dialect, How::AtOnce, &Answer::status(status, &headers, "")).await;
                assert_eq!(error.retry_after, wait.map(Duration::from_millis), "{headers}");
            }
        }
    }
}

/// Texts that are not answers, with their errors.
fn wrong_answers(dialect: Dialect) -> Vec<(Value, &'static str)> {
    match dialect {
        Dialect::Chat => vec![
            (json!({ "choices": [] }), "no choice"),
            (json!({ "choices": null }), "no choice"),
            (json!({ "choices": [{ "message": { "tool_calls": [{}] } }] }), "cannot be read"),
        ],
        Dialect::Messages => vec![
            (json!({}), "no message"),
            (json!({ "content": null }), "no message"),
            (json!({ "content": "Hello" }), "no message"),
            (json!({ "content": ["Hello"] }), "cannot be read"),
            (json!({ "content": [{}] }), "a block has no `type`"),
            (json!({ "content": [{ "type": "text", "text": 7 }] }), "a block has no `text`"),
            (json!({ "content": [{ "type": "tool_use", "name": "search" }] }), "a block has no `id`"),
        ],
    }
}

#[tokio::test]
async fn an_invalid_answer_is_an_error() {
    let kind = "Content-Type: application/json\r\n";
    let head = format!("HTTP/1.1 200 OK\r\n{kind}");
    for (dialect, how) in every_way() {
        let whole = dialect.hello().to_string();
        let wrong =
            wrong_answers(dialect).into_iter().map(|(answer, told)| (Answer::json(&answer), InvalidResponse, told));
        let cases = [
            (Answer::status("200 OK", kind, "{ no json"), InvalidResponse, "cannot be read"),
            (Answer::status("200 OK", kind, "[]"), InvalidResponse, "cannot be read"),
            (Answer::raw(format!("{head}Content-Length: 999\r\n\r\n{whole}")), Unavailable, "breaks off"),
            (Answer::raw(format!("{head}Connection: close\r\n\r\n{}", &whole[..40])), Unavailable, "breaks off"),
            (Answer::raw("nothing like HTTP\r\n\r\n"), Unavailable, "cannot be reached"),
            (Answer::raw(""), Unavailable, "cannot be reached"),
        ];
        for (answer, kind, message) in cases.into_iter().chain(wrong) {
            let error = failure(dialect, how, &answer).await;
            assert!(error.kind == kind && error.message.contains(message), "{dialect:?} {how:?} {answer:?}: {error}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_never_a_short_answer() {
    for dialect in DIALECTS {
        let (half, cut) = (dialect.half(), dialect.cut());
        let cases = [
            (Answer::stream(&half, 11), Unavailable, "breaks off"),
            (Answer::stream(&half, 11).ended(), Unavailable, "breaks off"),
            (Answer::stream("", 1).ended(), Unavailable, "breaks off"),
            (Answer::stream(&(half.clone() + &dialect.usage()), 11).ended(), Unavailable, "breaks off"),
            (Answer::stream(&(half.clone() + cut), 11).ended(), Unavailable, "breaks off"),
            (Answer::stream(&(half.clone() + cut + "\n\n"), 11).ended(), Unavailable, "breaks off"),
            (Answer::stream(&(half.clone() + &dialect.finish() + cut), 11).ended(), Unavailable, "breaks off"),
            (Answer::stream(&(half.clone() + "data: no json\n\n"), 11).ended(), InvalidResponse, "cannot be read"),
            (Answer::stream(&dialect.last(), 11).ended(), InvalidResponse, dialect.nothing()),
        ];
        for (answer, kind, message) in cases {
            let error = failure(dialect, How::Streamed, &answer).await;
            assert!(error.kind == kind && error.message.contains(message), "{dialect:?} {answer:?}: {error}");
        }
    }
}

#[tokio::test]
async fn an_error_in_the_body_of_an_answer_is_an_error() {
    let of_messages =
        |kind: &str| json!({ "type": "error", "error": { "type": kind, "message": "m" }, "request_id": "r" });
    let cases = [
        (json!({ "error": { "message": "m", "code": 429 } }), RateLimited, "m"),
        (json!({ "error": { "message": "m", "code": 400, "type": "BadRequestError" } }), InvalidRequest, "m"),
        (json!({ "error": { "message": "m", "type": "server_error" } }), Unavailable, "m"),
        (json!({ "error": { "message": "m", "type": "invalid_request_error", "code": null } }), InvalidRequest, "m"),
        (json!({ "error": { "message": "m", "code": "rate_limit_exceeded" }, "choices": [] }), RateLimited, "m"),
        (json!({ "error": "out of memory" }), Unavailable, "out of memory"),
        (of_messages("invalid_request_error"), InvalidRequest, "m"),
        (of_messages("authentication_error"), Denied, "m"),
        (of_messages("billing_error"), Denied, "m"),
        (of_messages("permission_error"), Denied, "m"),
        (of_messages("not_found_error"), NotFound, "m"),
        (of_messages("request_too_large"), InvalidRequest, "m"),
        (of_messages("rate_limit_error"), RateLimited, "m"),
        (of_messages("timeout_error"), Timeout, "m"),
        (of_messages("api_error"), Unavailable, "m"),
        (of_messages("overloaded_error"), Unavailable, "m"),
    ];
    for (error, kind, message) in cases {
        for dialect in DIALECTS {
            let told: (OperationErrorKind, &str) = (kind, message);
            let whole = failure(dialect, How::AtOnce, &Answer::json(&error)).await;
            assert_eq!((whole.kind, whole.message.as_str()), told, "{dialect:?} {error}");
            let (half, named) = (dialect.half(), format!("event: error\ndata: {error}\n\n"));
            for stream in [format!("{half}data: {error}\n\n"), half + &named, named] {
                let streamed = failure(dialect, How::Streamed, &Answer::stream(&stream, 20).ended()).await;
                assert_eq!((streamed.kind, streamed.message.as_str()), told, "{dialect:?} {stream}");
            }
        }
    }
    let too_long = json!({ "object": "error", "message": "too long", "code": 400 });
    let whole = failure(Dialect::Chat, How::AtOnce, &Answer::json(&too_long)).await;
    assert_eq!((whole.kind, whole.message.as_str()), (InvalidRequest, "too long"));
    let text = Dialect::Chat.half() + "error: the slot is gone\n\n";
    let streamed = failure(Dialect::Chat, How::Streamed, &Answer::stream(&text, 20).ended()).await;
    assert_eq!((streamed.kind, streamed.message.as_str()), (Unavailable, "the slot is gone"));
}

#[tokio::test]
async fn a_request_to_a_silent_server_ends_at_its_time_limit() {
    let (short, long) = (Duration::from_millis(200), Duration::from_secs(10));
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{";
    let refused = "HTTP/1.1 500 Oh\r\nContent-Length: 999\r\n\r\nwell";
    for (dialect, how) in every_way() {
        let half = Answer::stream(&dialect.half(), 11);
        let cases = [
            (Answer::none(), short, long, Timeout, "no answer has begun within 200ms"),
            (Answer::raw(head).then_silence(), long, short, Timeout, "the answer does not go on within 200ms"),
            (half.then_silence(), long, short, Timeout, "the answer does not go on within 200ms"),
            (
                Answer::raw(refused).then_silence(),
                long,
                short,
                Unavailable,
                "the server answers 500 Internal Server Error",
            ),
        ];
        for (answer, response, chunk, kind, message) in cases {
            let server = Server::start([answer.clone()]).await;
            let model = dialect.model_within(&server.url, response, chunk);
            let error = ask(&model, how, prompt()).await.unwrap_err();
            assert_eq!((error.kind, error.message.as_str()), (kind, message), "{dialect:?} {how:?} {answer:?}");
            // It has let go of the connection.
            server.requests().await;
        }
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    for (dialect, how) in every_way() {
        let error = ask(&dialect.model(&nobody().await), how, prompt()).await.unwrap_err();
        assert_eq!((error.kind, error.status), (Unavailable, None));
        assert!(error.message.starts_with("the server cannot be reached: "), "{error}");
    }
}
