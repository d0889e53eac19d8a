//! A minimal client. It sends one request and reads the whole answer.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The number of bytes that are read of an answer.
const LONGEST: u64 = 64 * 1024;

/// Asks a question. Returns the lines of the answer, indented.
pub(crate) async fn ask(address: SocketAddr, session: &str, question: &str) -> io::Result<String> {
    let mut server = TcpStream::connect(address).await?;
    // With HTTP/1.0, the server does not encode the answer in chunks, and the answer ends with the connection.
    let length = question.len();
    let request =
        format!("POST /ask/{session} HTTP/1.0\r\nHost: {address}\r\nContent-Length: {length}\r\n\r\n{question}");
    server.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    server.take(LONGEST).read_to_string(&mut answer).await?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.lines().next().unwrap_or_default();
    let lines = [status].into_iter().chain(body.lines().filter(|line| !line.is_empty()));
    Ok(lines.map(|line| format!("    {line}\n")).collect::<Vec<_>>().concat())
}
