//! `serve`, over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::desk::Desk;

/// The program that serves a machine. It ends with this value.
pub(crate) struct Served {
    child: Child,
    pub(crate) port: u16,
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Served {
    pub(crate) fn new(desk: &Desk, arguments: &str) -> Self {
        let mut command = desk.program(&format!("serve --port 0 {arguments}"));
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("http://127.0.0.1:").unwrap().parse().unwrap();
        Self { child, port }
    }

    fn request(&self, head: &str, host: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let length = body.len();
        write!(stream, "{head} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn own(&self, head: &str, body: &str) -> String {
        self.request(head, &format!("127.0.0.1:{}", self.port), body)
    }

    /// Reads the events of the page until a text arrives.
    fn events_until(&self, text: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        write!(stream, "GET /events HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", self.port).unwrap();
        let mut received = String::new();
        for line in BufReader::new(stream).lines() {
            received.push_str(&line.unwrap());
            received.push('\n');
            if received.contains(text) {
                return received;
            }
        }
        panic!("the events ended before `{text}`: {received}");
    }
}

#[test]
fn the_page_may_run_only_its_own_scripts() {
    let desk = Desk::with_review();
    let served = Served::new(&desk, "review.dygram --script script.json");
    let page = served.own("GET /", "");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("script-src 'self';"), "{page}");
    assert!(served.own("GET /page.js", "").contains("content-type: text/javascript"));
    assert!(served.own("GET /page.css", "").contains("content-type: text/css"));
}

#[test]
fn other_pages_cannot_use_the_program() {
    let desk = Desk::with_review();
    let served = Served::new(&desk, "review.dygram --script script.json");
    let port = served.port;
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("localhost:{}", port ^ 1),
    ] {
        assert!(served.request("POST /execute", &host, "").starts_with("HTTP/1.1 403"), "{host}");
    }
    let origin = format!("127.0.0.1:{port}\r\nOrigin: http://evil.example");
    assert!(served.request("POST /execute", &origin, "").starts_with("HTTP/1.1 403"));
    assert!(served.events_until("event: snapshot\ndata: {").contains("event: clear"));
    let ready = served.events_until("\"status\":");
    assert!(ready.contains("\"status\":\"ready\""), "{ready}");
}

#[test]
fn a_machine_runs_while_the_page_watches() {
    let desk = Desk::with_review();
    let served = Served::new(&desk, "review.dygram --script script.json");
    assert!(served.own("POST /stop", "").contains("the machine is not running"));
    assert!(served.own("POST /step", "").starts_with("HTTP/1.1 204"));
    served.events_until("begin -> draft");
    assert!(served.own("POST /execute", "").starts_with("HTTP/1.1 204"));
    let events = served.events_until("\"status\":\"completed\"");
    for text in ["review -> draft", "job.score = 0.95", "done ends", "\"text\":\"completed\""] {
        assert!(events.contains(text), "{text}: {events}");
    }
    assert!(served.own("POST /step", "").contains("reset it first"));
    assert!(served.own("POST /reset", "").starts_with("HTTP/1.1 204"));
    let events = served.events_until("\"status\":\"ready\"");
    assert!(!events.contains("event: line"), "{events}");
}

#[test]
fn a_question_of_a_guard_is_answered_at_the_page() {
    let desk = Desk::with_review();
    desk.write("policy.toml", "[approval]\nrules = [{ tool = 'write_job', because = 'scores matter' }]\n");
    let served = Served::new(&desk, "review.dygram --script script.json --policy policy.toml");
    for _ in 0..2 {
        assert!(served.own("POST /execute", "").starts_with("HTTP/1.1 204"));
        let events = served.events_until("\"kind\":\"question\"");
        let id = events.rsplit("\"kind\":\"question\",\"id\":\"").next().unwrap().split('"').next().unwrap();
        assert!(served.own("POST /answer", "{ \"approve\": \"nothing\" }").starts_with("HTTP/1.1 409"));
        assert!(served.own("POST /answer", &format!("{{ \"approve\": \"{id}\" }}")).starts_with("HTTP/1.1 204"));
    }
    assert!(served.own("POST /execute", "").starts_with("HTTP/1.1 204"));
    served.events_until("\"status\":\"completed\"");
}

#[test]
fn the_key_of_the_model_is_never_shown() {
    let desk = Desk::with_review();
    let served = Served::new(&desk, "review.dygram");
    let new = r#"{ "model": "anthropic:claude-sonnet-4-5", "key": "sk-ant-4711-secret" }"#;
    assert!(served.own("POST /settings", new).starts_with("HTTP/1.1 204"));
    let events = served.events_until("\"hasKey\":true");
    assert!(events.contains("anthropic:claude-sonnet-4-5") && !events.contains("4711"), "{events}");
    for wrong in [r#"{ "model": "nobody:x", "key": "" }"#, r#"{ "model": "anthropic:", "key": "k" }"#] {
        assert!(served.own("POST /settings", wrong).starts_with("HTTP/1.1 409"), "{wrong}");
    }
}
