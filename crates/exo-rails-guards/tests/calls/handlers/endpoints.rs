//! HTTP endpoints, with a server on the loopback interface.

use exo_rails::prelude::*;
use exo_rails_guards::handlers::{HandlerConfig, HandlerEvent, HookHandlers, HttpRun, Run};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::handlers::{Guards, call_tool};

/// Answers one request with this text, and returns the request.
async fn serve_once(answer: String) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let request = read_request(&mut stream).await;
        let _ = stream.write_all(answer.as_bytes()).await;
        let _ = stream.shutdown().await;
        request
    });
    (url, server)
}

/// Reads to the end of the body, whose length is in the head.
async fn read_request(stream: &mut TcpStream) -> String {
    let mut request = String::new();
    let mut bytes = [0; 4096];
    loop {
        let count = stream.read(&mut bytes).await.unwrap();
        request.push_str(&String::from_utf8_lossy(&bytes[..count]));
        let Some((head, body)) = request.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if count == 0 || body.len() >= length.unwrap_or(0) {
            return request;
        }
    }
}

fn response(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

fn guards(url: String, timeout_ms: u64) -> Guards {
    let run = HttpRun { url, headers: [("x-path".to_owned(), "p:${PATH}".to_owned())].into() };
    let handler = HandlerConfig::new([HandlerEvent::PreToolCall], Run::Http(run));
    let handler = HandlerConfig { timeout_ms: Some(timeout_ms), max_output_bytes: 1_000, ..handler };
    Guards { handlers: HookHandlers::builder().handler(handler).build().unwrap() }
}

#[tokio::test]
async fn http_statuses_and_bodies_decide_as_the_table_says() {
    let long = format!(r#"{{"decision":"allow","reason":"{}"}}"#, "x".repeat(2_000));
    let table = [
        ("200 OK", "", Ok("ran with")),
        ("204 No Content", "", Ok("ran with")),
        ("200 OK", r#"{"decision":"allow"}"#, Ok("ran with")),
        ("200 OK", r#"{"decision":"block","reason":"no"}"#, Ok("hook_handlers/block: handlers[0]: no")),
        ("201 Created", r#"{"decision":"block","reason":"no"}"#, Ok("hook_handlers/block: handlers[0]: no")),
        ("200 OK", r#"{"updated":{"path":"b"}}"#, Ok(r#"ran with {"path":"b"}"#)),
        ("200 OK", "<html>", Err("it is not a JSON object")),
        ("200 OK", r#"{"decision":"Block"}"#, Err("the decision is not `allow`, `ask` or `block`")),
        ("200 OK", &long, Err("its answer has more than 1000 bytes")),
        ("302 Found\r\nlocation: http://127.0.0.1:1/", "", Err("the endpoint answered with the status 302")),
        ("403 Forbidden", r#"{"decision":"allow"}"#, Err("the endpoint answered with the status 403")),
        ("500 Internal Server Error", "", Err("the endpoint answered with the status 500")),
    ];
    for (status, body, expected) in table {
        let (url, server) = serve_once(response(status, body)).await;
        let found = call_tool(&guards(url, 30_000), &mut RunContext::new("test")).await;
        let request = server.await.unwrap();
        assert!(
            request.starts_with("POST /hook HTTP/1.1\r\n") && request.contains(r#""tool_name":"write_file""#),
            "{request}"
        );
        assert!(request.contains("content-type: application/json") && request.contains("x-path: p:/"), "{request}");
        match (&found, expected) {
            (Ok(output), Ok(part)) => assert!(output.contains(part), "{status} {body}: {output}"),
            (Err(error), Err(part)) => assert!(error.ends_with(part), "{status} {body}: {error}"),
            _ => panic!("{status} {body}: {found:?}"),
        }
    }
}

#[tokio::test]
async fn a_server_that_is_silent_gone_or_breaks_off_is_a_fault() {
    // Accepts and says nothing.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/token-4711", listener.local_addr().unwrap());
    let error = call_tool(&guards(url.clone(), 200), &mut RunContext::new("test")).await.unwrap_err();
    assert!(error.ends_with("it did not answer within 200ms"), "{error}");

    drop(listener);
    let error = call_tool(&guards(url, 30_000), &mut RunContext::new("test")).await.unwrap_err();
    assert!(error.contains("the request failed") && !error.contains("token-4711"), "{error}");

    let (url, _) =
        serve_once("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"decision\":\"allow\"}".to_owned()).await;
    let error = call_tool(&guards(url, 30_000), &mut RunContext::new("test")).await.unwrap_err();
    assert!(error.contains("the request failed"), "{error}");
}
