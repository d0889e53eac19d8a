//! A server on the loopback that answers as a test wants it to, also wrongly. It ends by itself.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// No test takes as long.
const LIMIT: Duration = Duration::from_secs(20);

/// What the server does with one request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    /// What it writes, piece by piece.
    pieces: Vec<Vec<u8>>,
    /// Whether it then waits until the client has gone, instead of closing the connection.
    silent: bool,
}

impl Answer {
    /// Bytes as they are.
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { pieces: vec![bytes.into()], silent: false }
    }

    /// Nothing at all.
    pub(crate) fn none() -> Self {
        Self { pieces: Vec::new(), silent: true }
    }

    /// A status, more headers (each with its line end) and a body.
    pub(crate) fn status(status: &str, headers: &str, body: &str) -> Self {
        let length = body.len();
        Self::raw(format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"))
    }

    pub(crate) fn json(value: &Value) -> Self {
        Self::status("200 OK", "Content-Type: application/json\r\n", &value.to_string())
    }

    /// A stream of this text in pieces of so many bytes. Its end is not written.
    pub(crate) fn stream(text: &str, size: usize) -> Self {
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\
                    Transfer-Encoding: chunked\r\n\r\n";
        // The client gets the pieces of this encoding one by one, however TCP puts them together.
        let chunk = |piece: &[u8]| [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
        let pieces = text.as_bytes().chunks(size).map(chunk);
        Self { pieces: std::iter::once(head.into()).chain(pieces).collect(), silent: false }
    }

    /// The same with the end of the stream.
    pub(crate) fn ended(mut self) -> Self {
        self.pieces.push(b"0\r\n\r\n".to_vec());
        self
    }

    /// The same, and then nothing, without an end.
    pub(crate) fn then_silence(self) -> Self {
        Self { silent: true, ..self }
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The first line and the headers.
    pub(crate) head: String,
    pub(crate) body: Value,
}

pub(crate) struct Server {
    /// The base URL.
    pub(crate) url: String,
    /// How many requests it has read.
    read: watch::Receiver<usize>,
    task: JoinHandle<Vec<Request>>,
}

impl Server {
    /// Gives these answers, each to one connection, and ends.
    pub(crate) async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let answers: Vec<_> = answers.into_iter().collect();
        let (tell, read) = watch::channel(0);
        let serve = async move { timeout(LIMIT, serve(listener, answers, tell)).await.unwrap() };
        Self { url, read, task: tokio::spawn(serve) }
    }

    /// Waits until it has read so many requests.
    pub(crate) async fn has_read(&self, requests: usize) {
        self.read.clone().wait_for(|read| *read >= requests).await.unwrap();
    }

    /// Waits until all answers are given, and, after silence, the client has gone. The requests that have come.
    pub(crate) async fn requests(self) -> Vec<Request> {
        self.task.await.unwrap()
    }
}

/// A base URL at which nobody listens.
pub(crate) async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}/v1", listener.local_addr().unwrap())
}

async fn serve(listener: TcpListener, answers: Vec<Answer>, read_so_far: watch::Sender<usize>) -> Vec<Request> {
    let mut requests = Vec::new();
    for answer in answers {
        let (mut client, _) = listener.accept().await.unwrap();
        client.set_nodelay(true).unwrap();
        requests.extend(read(&mut client).await);
        read_so_far.send_replace(requests.len());
        for piece in &answer.pieces {
            // The client may go when it has seen enough.
            let _ = client.write_all(piece).await;
        }
        if answer.silent {
            while client.read(&mut [0; 64]).await.is_ok_and(|read| read > 0) {}
        }
        let _ = client.shutdown().await;
    }
    requests
}

/// The request; `None` when the client goes before it is whole.
async fn read(client: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let body = bytes.split_off(end + 4);
            break String::from_utf8(std::mem::replace(&mut bytes, body)).unwrap();
        }
        read_more(client, &mut bytes).await?;
    };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    while bytes.len() < length {
        read_more(client, &mut bytes).await?;
    }
    Some(Request { head, body: serde_json::from_slice(&bytes).unwrap() })
}

async fn read_more(client: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    client.read_buf(bytes).await.is_ok_and(|read| read > 0).then_some(())
}
