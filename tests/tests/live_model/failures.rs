//! What rails are told when a server fails.

use std::time::Duration;

use exo_rails::OperationErrorKind::{
    self, Denied, InvalidRequest, InvalidResponse, NotFound, RateLimited, Timeout, Unavailable,
};
use exo_rails::prelude::*;
use serde_json::json;

use crate::server::{Answer, Server, nobody};
use crate::{BOTH, How, ask, builder, events, model, prompt};

async fn failure(how: How, answer: &Answer) -> OperationError {
    let server = Server::start([answer.clone()]).await;
    let error = ask(&model(&server.url), how, prompt()).await.unwrap_err();
    server.requests().await;
    error
}

#[tokio::test]
async fn a_status_is_a_kind_and_the_servers_words_are_told() {
    let object = r#"{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}"#;
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
    ];
    for (status, body, kind, message) in cases {
        for how in BOTH {
            let error = failure(how, &Answer::status(status, "", body)).await;
            let told = (error.kind, error.message.as_str(), error.status);
            assert_eq!(told, (kind, message, status[..3].parse().ok()), "{how:?}");
            assert_eq!(error.retry_after, None);
        }
    }
}

#[tokio::test]
async fn a_long_message_is_told_in_part() {
    let error = failure(How::AtOnce, &Answer::status("500 Internal Server Error", "", &"ü".repeat(200_000))).await;
    assert_eq!(error.message, "ü".repeat(1_000) + "…");
}

#[tokio::test]
async fn the_wait_that_the_server_asks_for_is_told() {
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
            let error = failure(How::AtOnce, &Answer::status(status, &headers, "")).await;
            assert_eq!(error.retry_after, wait.map(Duration::from_millis), "{headers}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_none_is_told_as_such() {
    let whole = r#"{"choices":[{"message":{"role":"assistant","content":"Hello"}}]}"#;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    let cases = [
        (
            Answer::status("200 OK", "Content-Type: application/json\r\n", "{ no json"),
            InvalidResponse,
            "cannot be read",
        ),
        (Answer::status("200 OK", "Content-Type: application/json\r\n", "[]"), InvalidResponse, "cannot be read"),
        (Answer::json(&json!({ "choices": [] })), InvalidResponse, "no choice"),
        (Answer::json(&json!({ "choices": null })), InvalidResponse, "no choice"),
        (
            Answer::json(&json!({ "choices": [{ "message": { "tool_calls": [{}] } }] })),
            InvalidResponse,
            "cannot be read",
        ),
        (Answer::raw(format!("{head}Content-Length: 999\r\n\r\n{whole}")), Unavailable, "breaks off"),
        (Answer::raw(format!("{head}Connection: close\r\n\r\n{}", &whole[..40])), Unavailable, "breaks off"),
        (Answer::raw("nothing like HTTP\r\n\r\n"), Unavailable, "cannot be reached"),
        (Answer::raw(""), Unavailable, "cannot be reached"),
    ];
    for (answer, kind, message) in cases {
        for how in BOTH {
            let error = failure(how, &answer).await;
            assert!(error.kind == kind && error.message.contains(message), "{how:?} {answer:?}: {error}");
        }
    }
}

/// The beginning of a stream that has said nothing of its end.
fn half() -> String {
    events(&[json!({ "choices": [{ "delta": { "role": "assistant", "content": "It is la" } }] })])
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_never_a_short_answer() {
    let half = half();
    let finish = events(&[json!({ "choices": [{ "finish_reason": "stop" }] })]);
    let usage = events(&[json!({ "choices": [], "usage": { "total_tokens": 3 } })]);
    let cases = [
        (Answer::stream(&half, 11), Unavailable, "breaks off"),
        (Answer::stream(&half, 11).ended(), Unavailable, "breaks off"),
        (Answer::stream("", 1).ended(), Unavailable, "breaks off"),
        (Answer::stream(&(half.clone() + &usage), 11).ended(), Unavailable, "breaks off"),
        (Answer::stream(&(half.clone() + "data: {\"choices\":[{\"del"), 11).ended(), Unavailable, "breaks off"),
        (Answer::stream(&(half.clone() + "data: {\"choices\":[{\"del\n\n"), 11).ended(), Unavailable, "breaks off"),
        (
            Answer::stream(&(half.clone() + &finish + "data: {\"choices\":[],\"usa"), 11).ended(),
            Unavailable,
            "breaks off",
        ),
        (Answer::stream(&(half.clone() + "data: no json\n\n"), 11).ended(), InvalidResponse, "cannot be read"),
        (Answer::stream("data: [DONE]\n\n", 11).ended(), InvalidResponse, "no choice"),
    ];
    for (answer, kind, message) in cases {
        let error = failure(How::Streamed, &answer).await;
        assert!(error.kind == kind && error.message.contains(message), "{answer:?}: {error}");
    }
}

#[tokio::test]
async fn an_error_in_the_place_of_an_answer_is_told() {
    let cases = [
        (json!({ "error": { "message": "m", "code": 429 } }), RateLimited, "m"),
        (json!({ "error": { "message": "m", "code": 400, "type": "BadRequestError" } }), InvalidRequest, "m"),
        (json!({ "error": { "message": "m", "type": "server_error" } }), Unavailable, "m"),
        (json!({ "error": { "message": "m", "type": "invalid_request_error", "code": null } }), InvalidRequest, "m"),
        (json!({ "error": { "message": "m", "code": "rate_limit_exceeded" }, "choices": [] }), RateLimited, "m"),
        (json!({ "error": "out of memory" }), Unavailable, "out of memory"),
        (json!({ "object": "error", "message": "too long", "code": 400 }), InvalidRequest, "too long"),
    ];
    for (error, kind, message) in cases {
        let told: (OperationErrorKind, &str) = (kind, message);
        let whole = failure(How::AtOnce, &Answer::json(&error)).await;
        assert_eq!((whole.kind, whole.message.as_str()), told, "{error}");
        for stream in
            [half() + &events(std::slice::from_ref(&error)), format!("{}event: error\ndata: {error}\n\n", half())]
        {
            let streamed = failure(How::Streamed, &Answer::stream(&stream, 20).ended()).await;
            assert_eq!((streamed.kind, streamed.message.as_str()), told, "{stream}");
        }
    }
    let text = half() + "error: the slot is gone\n\n";
    let streamed = failure(How::Streamed, &Answer::stream(&text, 20).ended()).await;
    assert_eq!((streamed.kind, streamed.message.as_str()), (Unavailable, "the slot is gone"));
}

#[tokio::test]
async fn a_silent_server_is_waited_for_no_longer_than_the_limits_say() {
    let (short, long) = (Duration::from_millis(200), Duration::from_secs(10));
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{";
    let refused = "HTTP/1.1 500 Oh\r\nContent-Length: 999\r\n\r\nwell";
    let cases = [
        (Answer::none(), short, long, Timeout, "no answer has begun within 200ms"),
        (Answer::raw(head).then_silence(), long, short, Timeout, "the answer does not go on within 200ms"),
        (Answer::stream(&half(), 11).then_silence(), long, short, Timeout, "the answer does not go on within 200ms"),
        (Answer::raw(refused).then_silence(), long, short, Unavailable, "the server answers 500 Internal Server Error"),
    ];
    for (answer, response, chunk, kind, message) in cases {
        for how in BOTH {
            let server = Server::start([answer.clone()]).await;
            let model = builder(&server.url).response_timeout(response).chunk_timeout(chunk).build().unwrap();
            let error = ask(&model, how, prompt()).await.unwrap_err();
            assert_eq!((error.kind, error.message.as_str()), (kind, message), "{how:?} {answer:?}");
            // It has let go of the connection.
            server.requests().await;
        }
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    for how in BOTH {
        let error = ask(&model(&nobody().await), how, prompt()).await.unwrap_err();
        assert_eq!((error.kind, error.status), (Unavailable, None));
        assert!(error.message.starts_with("the server cannot be reached: "), "{error}");
    }
}
