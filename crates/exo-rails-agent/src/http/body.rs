//! The body of an answer, within limits of time and size.

use std::sync::Arc;
use std::time::Duration;

use exo_rails::OperationError;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use tokio::task::coop::consume_budget;
use tokio::time::{Instant, timeout_at};

use super::limits::Limits;
use super::thread::Running;
use super::transport;

#[derive(Debug)]
pub(crate) struct Body {
    response: Response,
    /// The connection belongs to this thread.
    _thread: Arc<Running>,
    limits: Limits,
    /// The time at which the whole body must have arrived.
    deadline: Instant,
    received: usize,
}

impl Body {
    /// Makes the body of an answer. `sent` is the time of the request.
    pub(crate) fn new(response: Response, thread: Arc<Running>, limits: Limits, sent: Instant) -> Self {
        Self { response, _thread: thread, limits, deadline: later(sent, limits.answer), received: 0 }
    }

    pub(crate) fn is_success(&self) -> bool {
        self.response.status().is_success()
    }

    pub(crate) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn is_json(&self) -> bool {
        let kind = self.headers().get(CONTENT_TYPE).map_or(&b""[..], |kind| kind.as_bytes());
        kind.to_ascii_lowercase().starts_with(b"application/json")
    }

    /// Returns the next piece. Returns `None` at the end.
    pub(crate) async fn piece(&mut self) -> Result<Option<impl AsRef<[u8]> + use<>>, OperationError> {
        // The pieces may always be ready. A time limit acts only if the task waits, so this looks at the clock, too.
        consume_budget().await;
        let now = Instant::now();
        if now >= self.deadline {
            return Err(self.limits.too_slow());
        }
        let silent = later(now, self.limits.chunk);
        let piece = match timeout_at(silent.min(self.deadline), self.response.chunk()).await {
            Ok(piece) => piece.map_err(transport::broken_off)?,
            Err(_) if silent < self.deadline => {
                return Err(transport::timed_out("the answer does not go on", self.limits.chunk));
            }
            Err(_) => return Err(self.limits.too_slow()),
        };
        if let Some(piece) = &piece {
            self.received += piece.len();
        }
        if self.received > self.limits.bytes { Err(self.limits.too_many_bytes()) } else { Ok(piece) }
    }

    /// Returns the whole body.
    pub(crate) async fn whole(mut self) -> Result<Vec<u8>, OperationError> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.piece().await? {
            bytes.extend_from_slice(piece.as_ref());
        }
        Ok(bytes)
    }

    /// Returns at most the first `length` bytes of the body.
    pub(crate) async fn up_to(&mut self, length: usize) -> Result<Vec<u8>, OperationError> {
        let mut bytes = Vec::new();
        while bytes.len() < length
            && let Some(piece) = self.piece().await?
        {
            let piece = piece.as_ref();
            bytes.extend_from_slice(&piece[..piece.len().min(length - bytes.len())]);
        }
        Ok(bytes)
    }
}

/// Adds a wait to a time. A wait is at most a year, so the sum does not overflow.
fn later(time: Instant, wait: Duration) -> Instant {
    const YEAR: Duration = Duration::from_hours(365 * 24);
    time + wait.min(YEAR)
}
