//! The body of an answer, within the limits of time and size.

use std::time::Duration;

use exo_rails::{OperationError, OperationErrorKind};
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use tokio::time::timeout;

use super::failure;

/// The longest answer that is read at once.
const LONGEST: usize = 64 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct Body {
    response: Response,
    /// How long it may take until the next piece comes.
    limit: Duration,
}

impl Body {
    pub(crate) fn new(response: Response, limit: Duration) -> Self {
        Self { response, limit }
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

    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }

    pub(crate) fn is_json(&self) -> bool {
        let kind = self.headers().get(CONTENT_TYPE).map_or(&b""[..], |kind| kind.as_bytes());
        kind.to_ascii_lowercase().starts_with(b"application/json")
    }

    /// The next piece; `None` at the end.
    pub(crate) async fn piece(&mut self) -> Result<Option<impl AsRef<[u8]> + use<>>, OperationError> {
        match timeout(self.limit, self.response.chunk()).await {
            Ok(piece) => piece.map_err(failure::broken_off),
            Err(_) => Err(failure::timed_out("the answer does not go on", self.limit)),
        }
    }

    /// All of it.
    pub(crate) async fn whole(mut self) -> Result<Vec<u8>, OperationError> {
        let (all, cut) = self.up_to(LONGEST).await?;
        if cut {
            let message = format!("the answer is longer than {LONGEST} bytes");
            return Err(OperationError::new(OperationErrorKind::InvalidResponse, message));
        }
        Ok(all)
    }

    /// Its first bytes, and whether there are more.
    pub(crate) async fn up_to(&mut self, length: usize) -> Result<(Vec<u8>, bool), OperationError> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.piece().await? {
            let piece = piece.as_ref();
            let fits = piece.len().min(length - bytes.len());
            bytes.extend_from_slice(&piece[..fits]);
            if fits < piece.len() {
                return Ok((bytes, true));
            }
        }
        Ok((bytes, false))
    }
}
