//! A live model: any server that speaks the chat-completions protocol. With the feature `openai`, or `openai-http`, which has no TLS.
//!
//! Hosted services speak it, and so do vLLM, llama.cpp and Ollama.
//!
//! ```no_run
//! use exo_rails_agent::openai::ChatModel;
//! use exo_rails::prelude::*;
//! use exo_rails_agent::Agent;
//!
//! /// Tries again, after the wait that the server asks for.
//! #[rail(on = [LlmError])]
//! fn back_off(error: &OperationError) -> RailAction {
//!     let passes = matches!(error.kind, OperationErrorKind::RateLimited | OperationErrorKind::Unavailable);
//!     match error.retry_after {
//!         Some(wait) if passes => RailAction::retry(RetryRequest::new("the server is busy").with_delay(wait).with_max_retries(3)),
//!         _ => RailAction::Continue,
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = ChatModel::builder("qwen3:8b").base_url("http://localhost:11434/v1").build()?;
//! let agent = Agent::builder("support", model).rails(rail_chain![back_off]).build();
//! println!("{}", agent.run("Where is my order?").await?.text);
//! # Ok(()) }
//! ```

mod body;
mod builder;
mod events;
mod failure;
mod reading;
mod wire;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use exo_rails::{ModelCallInputs, ModelDelta, ModelResponse, OperationError, Permit};
use futures_core::Stream;
use futures_util::stream::{self, TryStreamExt};
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Url};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use crate::model::Model;
use body::Body;

pub use builder::{ChatModelBuilder, ConfigError};
use failure::Secrets;
use reading::Reading;

/// A model behind a chat-completions endpoint.
///
/// What it sends is the request as the rails have left it, with unknown fields: options such as `temperature` are
/// [`ModelCallInputs::extra`]. What it gives is the first choice of the answer; unknown fields of the message are in
/// its `extra`, those of the choice and of the answer in [`ModelResponse::extra`], and those that are `null` are left
/// out. [`stream`](Model::stream) asks the server to stream, with the usage; a request that has `stream_options` of
/// its own keeps them. Both give the same answer.
///
/// It does not try again: that is what rails on [`LlmError`](exo_rails::events::LlmError) are for. For them, an
/// [`OperationError`] has its kind, the status, and the wait that the server asks for:
///
/// | what happens | kind |
/// |---|---|
/// | status 401, 402, 403 | `Denied` |
/// | status 404 | `NotFound` |
/// | status 408; a time limit of the [builder](ChatModelBuilder) | `Timeout` |
/// | status 429 | `RateLimited` |
/// | another status 4xx | `InvalidRequest` |
/// | status 5xx; no connection; an answer that breaks off | `Unavailable` |
/// | an answer that is none, a redirection | `InvalidResponse` |
/// | an error instead of an answer, or within it | by its `code` and `type`; `Unavailable` when they say nothing |
///
/// A stream that ends without saying that the answer is complete has broken off. The future, or the stream, closes
/// the request when it is dropped. It needs a tokio runtime with I/O and time.
///
/// The API key is in no error and not in `Debug`, even when the server tells it.
///
/// ```
/// use exo_rails_agent::openai::ChatModel;
///
/// let model = ChatModel::builder("gpt-5-mini").base_url("http://localhost:8000/v1").api_key("sk-4711-secret").build()?;
/// assert!(!format!("{model:?}").contains("4711"));
/// # Ok::<(), exo_rails_agent::openai::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct ChatModel {
    client: Client,
    url: Url,
    model: String,
    secrets: Arc<Secrets>,
    limits: Limits,
}

/// How long it waits.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// For the answer to begin.
    response: Duration,
    /// For the next piece of the answer.
    chunk: Duration,
}

impl ChatModel {
    /// Begins a model of this name, at `https://api.openai.com/v1` unless the builder is told otherwise.
    pub fn builder(model: impl Into<String>) -> ChatModelBuilder {
        ChatModelBuilder::new(model.into())
    }

    /// The model that the environment names: see [`ChatModelBuilder::from_env`].
    ///
    /// ```no_run
    /// use exo_rails_agent::openai::ChatModel;
    /// use exo_rails::prelude::*;
    /// use exo_rails_agent::Agent;
    ///
    /// # fn main() -> Result<(), exo_rails_agent::openai::ConfigError> {
    /// let agent = Agent::builder("support", ChatModel::from_env()?).build();
    /// # let _ = agent; Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When something is missing in the environment or cannot be used.
    pub fn from_env() -> Result<Self, ConfigError> {
        ChatModelBuilder::from_env()?.build()
    }

    /// The name of the model, for requests that name none.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Where the requests go: without a user, a password and a query, which may hold a key.
    #[must_use]
    pub fn endpoint(&self) -> String {
        let (origin, path) = (self.url.origin().ascii_serialization(), self.url.path());
        format!("{origin}{path}")
    }

    async fn whole(&self, request: &ModelCallInputs) -> Result<ModelResponse, OperationError> {
        let body = self.send(self.body(request, false)?, "application/json").await?;
        wire::response(&body.whole().await?)
    }

    async fn pieces(&self, request: Permit<ModelCallInputs>) -> Result<Reading, OperationError> {
        let body = self.send(self.body(&request, true)?, "text/event-stream").await?;
        if body.is_json() {
            // This server does not stream.
            return Ok(Reading::of(wire::response(&body.whole().await?)?, request));
        }
        Ok(Reading::new(body, request))
    }

    /// The body of a request.
    fn body(&self, request: &ModelCallInputs, streamed: bool) -> Result<Vec<u8>, OperationError> {
        let mut body = match serde_json::to_value(request)? {
            Value::Object(body) => body,
            _ => Map::new(),
        };
        body.entry("model").or_insert_with(|| self.model.as_str().into());
        if streamed {
            body.insert("stream".to_owned(), true.into());
            body.entry("stream_options").or_insert_with(|| json!({ "include_usage": true }));
        } else {
            body.remove("stream");
            body.remove("stream_options");
        }
        Ok(serde_json::to_vec(&body)?)
    }

    /// Sends a request and waits until the answer begins.
    async fn send(&self, body: Vec<u8>, accept: &str) -> Result<Body, OperationError> {
        let request = self.client.post(self.url.clone()).header(CONTENT_TYPE, "application/json");
        let sending = request.header(ACCEPT, accept).body(body).send();
        let response = timeout(self.limits.response, sending)
            .await
            .map_err(|_| failure::timed_out("no answer has begun", self.limits.response))?
            .map_err(failure::unreachable)?;
        let body = Body::new(response, self.limits.chunk);
        if body.is_success() { Ok(body) } else { Err(failure::refused(body).await) }
    }
}

impl Model for ChatModel {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        self.whole(&request).await.map_err(|error| self.secrets.hide(error))
    }

    fn model_name(&self) -> Option<&str> {
        Some(&self.model)
    }

    // Whoever answers, this is the protocol: the convention tells providers apart by it.
    fn provider(&self) -> Option<&str> {
        Some("openai")
    }

    fn stream(
        &self,
        request: Permit<ModelCallInputs>,
    ) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
        let pieces = stream::once(async move { self.pieces(request).await.map(Reading::stream) });
        pieces.try_flatten().map_err(|error| self.secrets.hide(error))
    }
}

impl fmt::Debug for ChatModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (endpoint, limits) = (self.endpoint(), &self.limits);
        f.debug_struct("ChatModel")
            .field("model", &self.model)
            .field("endpoint", &endpoint)
            .field("limits", limits)
            .finish_non_exhaustive()
    }
}
