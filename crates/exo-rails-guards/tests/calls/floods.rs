//! Servers that send interim responses as fast as they can, and never end.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test may fail")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use exo_rails::prelude::*;
use exo_rails_guards::handlers::{HandlerConfig, HandlerEvent, HookHandlers, HttpRun, Run};
use exo_rails_guards::urls::UrlGuard;
use tokio::runtime::Builder;

use crate::handlers::{Guards, call_tool};

/// No call takes as long. A call whose limit does not act takes for ever.
const LIMIT: Duration = Duration::from_secs(20);

/// Starts a server that answers with this head, and then with this piece again and again.
fn flood(head: &'static str, piece: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let _ = client.read(&mut vec![0; 64 * 1024]);
        let pieces = piece.repeat(64 * 1024 / piece.len());
        let started = Instant::now();
        let mut written = client.write_all(head.as_bytes());
        while written.is_ok() && started.elapsed() < 2 * LIMIT {
            written = client.write_all(pieces.as_bytes());
        }
    });
    address
}

const INTERIM: &str = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
const BODY: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// Runs a future in a runtime with one thread. Returns its result, and how often another task has run in the meantime.
fn run<F: Future<Output: Send> + 'static>(make: impl FnOnce() -> F + Send + 'static) -> (F::Output, usize)
where
    F::Output: 'static,
{
    let turns = Arc::new(AtomicUsize::new(0));
    let (sender, receiver) = mpsc::channel();
    let counted = Arc::clone(&turns);
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let result = runtime.block_on(async {
            tokio::spawn(async move {
                loop {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    counted.fetch_add(1, Ordering::Relaxed);
                }
            });
            make().await
        });
        let _ = sender.send(result);
        runtime.shutdown_background();
    });
    let result = receiver.recv_timeout(LIMIT).expect("the time limit does not act");
    (result, turns.load(Ordering::Relaxed))
}

#[test]
fn a_hook_that_floods_ends_at_its_time_limit() {
    for (head, piece, others_run) in [("", INTERIM, true), (BODY, "1\r\n \r\n", false)] {
        let url = format!("http://{}/hook", flood(head, piece));
        let (error, turns) = run(move || async {
            let run = Run::Http(HttpRun { url, headers: std::collections::BTreeMap::default() });
            let handler = HandlerConfig::new([HandlerEvent::PreToolCall], run);
            let handler = HandlerConfig { timeout_ms: Some(1_000), max_output_bytes: 1 << 30, ..handler };
            let guards = Guards { handlers: HookHandlers::builder().handler(handler).build().unwrap() };
            call_tool(&guards, &mut RunContext::new("test")).await.unwrap_err()
        });
        assert!(error.ends_with("it did not answer within 1s"), "{error}");
        assert!(!others_run || turns > 20, "another task has run {turns} times in a second");
    }
}

#[test]
fn a_page_that_floods_holds_no_thread_of_the_caller() {
    let url = format!("http://{}/", flood("", INTERIM));
    let (is_timeout, turns) = run(move || async move {
        let urls = UrlGuard::builder().allow_networks(["127.0.0.1/32".parse().unwrap()]).build().unwrap();
        let page = urls.check_url(&url).await.unwrap();
        tokio::time::timeout(Duration::from_secs(1), page.get(|client| client)).await.is_err()
    });
    assert!(is_timeout && turns > 20, "another task has run {turns} times in a second");
}
