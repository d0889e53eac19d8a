//! The connection to a server: sends requests, and receives answers as a whole or in pieces.

use std::fmt;
use std::sync::Arc;

use exo_rails::{ModelCallInputs, ModelDelta, ModelResponse, OperationError, OperationErrorKind, Permit};
use futures_core::Stream;
use futures_util::stream::{self, TryStreamExt};
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Url};
use serde_json::{Map, Value};
use tokio::task::{self, JoinError};
use tokio::time::{Instant, timeout};

use super::body::Body;
use super::limits::{Limits, memory_of_json};
use super::reading::{Decoder, Reading};
use super::secret::Secrets;
use super::thread::HttpThread;
use super::{failure, transport};

/// A protocol writes requests to a server and reads its answers.
pub(crate) trait Protocol: Send + Sync {
    /// The decoder of streamed answers.
    type Decoder: Decoder;

    /// Returns the body of a request to this model.
    fn body(
        &self,
        model: &str,
        request: &ModelCallInputs,
        streamed: bool,
    ) -> Result<Map<String, Value>, OperationError>;

    /// Reads a whole answer.
    fn response(json: &[u8]) -> Result<ModelResponse, OperationError>;
}

/// Reads a whole answer, if its JSON is within the limits.
pub(crate) fn response<P: Protocol>(json: &[u8], limits: &Limits) -> Result<ModelResponse, OperationError> {
    limits.check_memory(memory_of_json(json))?;
    P::response(json)
}

/// A longer body takes milliseconds to read, so another thread reads it.
const LONG: usize = 256 * 1024;

/// A model behind a server.
#[derive(Clone)]
pub(crate) struct Connection<P> {
    pub(super) protocol: P,
    pub(super) client: Client,
    pub(super) thread: Arc<HttpThread>,
    pub(super) url: Url,
    pub(super) model: String,
    pub(super) secrets: Arc<Secrets>,
    pub(super) limits: Limits,
}

impl<P: Protocol> Connection<P> {
    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    /// The address of the requests. Without a user, a password and a query, because they may contain a key.
    pub(crate) fn endpoint(&self) -> String {
        let (origin, path) = (self.url.origin().ascii_serialization(), self.url.path());
        format!("{origin}{path}")
    }

    pub(crate) async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        self.whole(&request).await.map_err(|error| self.secrets.hide(error))
    }

    pub(crate) fn stream(
        &self,
        request: Permit<ModelCallInputs>,
    ) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
        let pieces = stream::once(async move { self.pieces(request).await.map(Reading::stream) });
        pieces.try_flatten().map_err(|error| self.secrets.hide(error))
    }

    async fn whole(&self, request: &Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        Self::read(self.send(request, false).await?).await
    }

    /// Reads a whole answer. A blocking task reads a long answer, so the other tasks of the runtime do not wait.
    async fn read(body: Body) -> Result<ModelResponse, OperationError> {
        let limits = *body.limits();
        let json = body.whole().await?;
        let is_long = json.len() > LONG;
        let read = move || response::<P>(&json, &limits);
        if !is_long {
            return read();
        }
        let stopped = |error: JoinError| Err(OperationError::new(OperationErrorKind::Other, error.to_string()));
        task::spawn_blocking(read).await.unwrap_or_else(stopped)
    }

    async fn pieces(&self, request: Permit<ModelCallInputs>) -> Result<Reading<P::Decoder>, OperationError> {
        let body = self.send(&request, true).await?;
        if body.is_json() {
            // The server has not streamed its answer.
            return Ok(Reading::of(Self::read(body).await?, request));
        }
        Ok(Reading::new(body, request))
    }

    /// Sends a request and waits for the beginning of the answer.
    async fn send(&self, request: &Permit<ModelCallInputs>, streamed: bool) -> Result<Body, OperationError> {
        request.ensure_open()?;
        let body = serde_json::to_vec(&self.protocol.body(&self.model, request, streamed)?)?;
        let accept = if streamed { "text/event-stream" } else { "application/json" };
        let request = self.client.post(self.url.clone()).header(CONTENT_TYPE, "application/json");
        let request = request.header(ACCEPT, accept).body(body);
        let thread = self.thread.running()?;
        let sent = Instant::now();
        let sending = thread.connect(async { request.send().await });
        let response = timeout(self.limits.response.min(self.limits.answer), sending)
            .await
            .map_err(|_| self.limits.not_begun())?
            .map_err(transport::unreachable)?;
        let body = Body::new(response, thread, self.limits, sent);
        if body.is_success() { Ok(body) } else { Err(failure::refused(body).await) }
    }

    /// Formats a model of this type for `Debug`, without parts that may be a key.
    pub(crate) fn fmt_as(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name)
            .field("model", &self.model)
            .field("endpoint", &self.endpoint())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
