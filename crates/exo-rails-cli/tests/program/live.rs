//! Live models: a server on loopback that speaks the protocols of both providers.

use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::desk::{Desk, Ran};

const KEY: &str = "key-f3b1c2d4e5a6";

/// A request: its path, its key and its body.
type Seen = Arc<Mutex<Vec<(String, String, Value)>>>;

/// A server that answers each request with the next answer, and ends with the test.
struct Server {
    address: String,
    seen: Seen,
    _runtime: Runtime,
}

impl Server {
    fn with(answers: Vec<(u16, Value)>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let seen = Seen::default();
        let (requests, answers) = (Arc::clone(&seen), Arc::new(Mutex::new(answers.into_iter())));
        let answer = move |uri: Uri, headers: HeaderMap, body: Bytes| async move {
            let key = headers.get("authorization").or_else(|| headers.get("x-api-key")).unwrap();
            let body = serde_json::from_slice(&body).unwrap();
            requests.lock().unwrap().push((uri.path().to_owned(), key.to_str().unwrap().to_owned(), body));
            let (status, answer) = answers.lock().unwrap().next().unwrap_or((410, json!({})));
            (StatusCode::from_u16(status).unwrap(), Json(answer))
        };
        let service = Router::new().fallback(answer);
        runtime.spawn(async move { axum::serve(listener, service).await.unwrap() });
        Self { address, seen, _runtime: runtime }
    }

    /// Runs the program with the variables of a provider.
    fn run(&self, desk: &Desk, provider: &str, arguments: &str) -> Ran {
        let mut program: Command = desk.program(arguments);
        let (base, key) = (format!("{provider}_BASE_URL"), format!("{provider}_API_KEY"));
        program.env(base, format!("{}/v1", self.address)).env(key, KEY).env(format!("{provider}_MODEL"), "small");
        let Output { status, stdout, stderr } = program.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: status.code().unwrap(), out: text(stdout), errors: text(stderr) }
    }
}

fn chat(tool: &str, arguments: &Value) -> Value {
    let function = json!({ "name": tool, "arguments": arguments.to_string() });
    let message = json!({ "role": "assistant", "content": null,
        "tool_calls": [{ "id": "c1", "type": "function", "function": function }] });
    json!({ "id": "x", "object": "chat.completion", "created": 1, "model": "small",
        "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 40, "completion_tokens": 2, "total_tokens": 42 } })
}

fn messages(tool: &str, arguments: &Value) -> Value {
    json!({ "id": "x", "type": "message", "role": "assistant", "model": "small", "stop_reason": "tool_use",
        "stop_sequence": null, "content": [{ "type": "tool_use", "id": "c1", "name": tool, "input": arguments }],
        "usage": { "input_tokens": 40, "output_tokens": 2 } })
}

const FILE: &str = "Task triage { prompt: \"Where to?\"; } End refund; End answer; triage -> refund, answer;";

#[test]
fn models_of_both_protocols_choose_a_transition() {
    for (provider, answer) in [("OPENAI", chat as fn(&str, &Value) -> Value), ("ANTHROPIC", messages)] {
        let server = Server::with(vec![(200, answer("transition_to_refund", &json!({ "reason": "broken lamp" })))]);
        let desk = Desk::new();
        desk.write("desk.dygram", FILE);
        let ran = server.run(&desk, provider, "exec desk.dygram --log log.jsonl");
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.out.contains("triage -> refund (agent: broken lamp)") && ran.out.contains("42 tokens"), "{ran:?}");
        let seen = server.seen.lock().unwrap().clone();
        let [(path, key, body)] = seen.as_slice() else { panic!("{seen:?}") };
        assert!(path.starts_with("/v1/") && key.ends_with(KEY), "{path} {key}");
        let body = body.to_string();
        assert!(body.contains("\"small\"") && body.contains("transition_to_answer") && body.contains("Where to?"));
        for text in [ran.out, ran.errors, desk.read("execution-history.json"), desk.read("log.jsonl")] {
            assert!(!text.contains(KEY), "{text}");
        }
    }
}

#[test]
fn an_error_of_the_server_stops_the_machine_and_shows_no_key() {
    let wrong = json!({ "error": { "message": format!("Incorrect API key provided: {KEY}"), "type": "auth" } });
    let server = Server::with(vec![(401, wrong), (200, chat("transition_to_answer", &json!({ "reason": "ok" })))]);
    let desk = Desk::new();
    desk.write("desk.dygram", FILE);
    let ran = server.run(&desk, "OPENAI", "exec desk.dygram");
    assert!(ran.code == 1 && ran.errors.contains("401") && ran.errors.contains("triage"), "{ran:?}");
    assert!(!format!("{ran:?}").contains(KEY), "{ran:?}");
    assert!(!desk.read("execution-history.json").contains(KEY));
    assert!(!desk.read("desk.dygram.state.json").contains(KEY));
    // The machine has failed, so it begins again.
    let ran = server.run(&desk, "OPENAI", "exec desk.dygram");
    assert!(ran.code == 0 && ran.out.contains("triage -> answer"), "{ran:?}");
}
