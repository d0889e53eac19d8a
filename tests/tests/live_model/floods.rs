//! Servers that write as fast as they can, and never end.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use exo_rails::OperationError;
use exo_rails::OperationErrorKind::Timeout;
use tokio::runtime::{Builder, Runtime};

use crate::dialect::{Dialect, chat, messages};
use crate::{BOTH, How, ask, prompt};

/// No call takes as long. A call whose limit does not act takes for ever.
const LIMIT: Duration = Duration::from_secs(20);

const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
const JSON: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
const FAILED: &str = "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n";

/// Starts a server that answers with this head, and then with this piece again and again. Returns its URL.
fn flood(head: &'static str, piece: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
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
    url
}

fn one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn two_threads() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Asks a model that floods. Returns its error, and how often another task has run in the meantime.
fn asked(url: &str, dialect: Dialect, how: How, limit: Duration, runtime: Runtime) -> (OperationError, usize) {
    let model: Box<dyn exo_rails_agent::Model> = match dialect {
        Dialect::Chat => Box::new(chat(url).answer_timeout(limit).max_answer_bytes(usize::MAX).build().unwrap()),
        Dialect::Messages => {
            Box::new(messages(url).answer_timeout(limit).max_answer_bytes(usize::MAX).build().unwrap())
        }
    };
    let turns = Arc::new(AtomicUsize::new(0));
    let (sender, receiver) = mpsc::channel();
    let counted = Arc::clone(&turns);
    thread::spawn(move || {
        let result = runtime.block_on(async {
            tokio::spawn(async move {
                loop {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    counted.fetch_add(1, Ordering::Relaxed);
                }
            });
            ask(&model, how, prompt()).await
        });
        let _ = sender.send(result);
        runtime.shutdown_background();
    });
    let result = receiver.recv_timeout(LIMIT).expect("the time limit does not act");
    (result.unwrap_err(), turns.load(Ordering::Relaxed))
}

/// The HTTP client reads interim responses without an end, and lets nothing else run. This must not hold the thread of the caller.
#[test]
fn interim_responses_without_end_hold_no_thread_of_the_caller() {
    for (piece, dialect) in [
        ("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", Dialect::Chat),
        ("HTTP/1.1 102 P\r\n\r\n", Dialect::Messages),
    ] {
        for (runtime, how) in [one_thread, two_threads].into_iter().zip(BOTH) {
            let limit = Duration::from_secs(1);
            let (error, turns) = asked(&flood("", piece), dialect, how, limit, runtime());
            let message = "the answer is not complete within 1s: the method `answer_timeout` of the model's builder sets this limit";
            assert_eq!((error.kind, error.message.as_str()), (Timeout, message), "{piece:?} {how:?}");
            // It was about a thousand times. It is a few times if the flood holds the thread.
            assert!(turns > 20, "{piece:?} {how:?}: another task has run {turns} times in a second");
        }
    }
}

/// Pieces, blank lines, comments and events that are always ready.
#[test]
fn a_body_without_end_ends_at_the_time_limit() {
    let floods = [
        (STREAM, "1\r\n\n\r\n", &BOTH[..]),
        (STREAM, "4\r\n: a\n\r\n", &BOTH),
        (STREAM, "8\r\nevent: \n\r\n", &BOTH),
        (STREAM, "14\r\ndata: {\"choices\":[]}\r\n2\r\n\n\n\r\n", &[How::AtOnce]),
        (JSON, "1\r\n \r\n", &BOTH),
    ];
    for (head, piece, hows) in floods {
        for (runtime, how) in
            [one_thread, two_threads].into_iter().flat_map(|runtime| hows.iter().map(move |how| (runtime, *how)))
        {
            let (error, _) = asked(&flood(head, piece), Dialect::Chat, how, Duration::from_millis(300), runtime());
            let message = "the answer is not complete within 300ms: the method `answer_timeout` of the model's builder sets this limit";
            assert_eq!((error.kind, error.message.as_str()), (Timeout, message), "{piece:?} {how:?}");
        }
    }
    // The text of a failure is cut, because the status is known.
    let (error, _) =
        asked(&flood(FAILED, "1\r\n \r\n"), Dialect::Chat, How::AtOnce, Duration::from_millis(300), one_thread());
    assert_eq!(error.message, "the server answers 500 Internal Server Error");
}
