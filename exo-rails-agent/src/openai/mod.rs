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

mod builder;
mod wire;

use std::fmt;

use exo_rails::{ModelCallInputs, ModelDelta, ModelResponse, OperationError, Permit};
use futures_core::Stream;

use crate::http::Connection;
use crate::model::Model;
pub(crate) use wire::ChatCompletions;

pub use crate::http::ConfigError;
pub use builder::ChatModelBuilder;

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
/// | an answer that is none or exceeds a size limit of the [builder](ChatModelBuilder), a redirection | `InvalidResponse` |
/// | an error instead of an answer, or within it | by its `code` and `type`; `Unavailable` when they say nothing |
///
/// A stream that ends without saying that the answer is complete has broken off. The future, or the stream, closes
/// the request when it is dropped. It needs a tokio runtime with I/O and time.
///
/// The API key is in no error and not in `Debug`, even when the server repeats it: no eight characters in a row of the key,
/// of a header or of a user, a password or a value in the address, also when they are escaped or in other letters. A secret of
/// three to seven characters is hidden where it is a whole word. A server on this machine is asked without a proxy, whatever
/// `HTTP_PROXY` says.
///
/// ```
/// use exo_rails_agent::openai::ChatModel;
///
/// let model = ChatModel::builder("gpt-5-mini").base_url("http://localhost:8000/v1").api_key("sk-4711-secret").build()?;
/// assert!(!format!("{model:?}").contains("4711"));
/// # Ok::<(), exo_rails_agent::openai::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct ChatModel(Connection<ChatCompletions>);

impl ChatModel {
    /// Begins a model of this name, at `https://api.openai.com/v1` unless the builder sets another address.
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
        self.0.model()
    }

    /// Where the requests go: without a user, a password and a query, which may hold a key.
    #[must_use]
    pub fn endpoint(&self) -> String {
        self.0.endpoint()
    }
}

impl Model for ChatModel {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        self.0.call(request).await
    }

    fn model_name(&self) -> Option<&str> {
        Some(self.0.model())
    }

    // Whoever answers, this is the protocol: the convention tells providers apart by it.
    fn provider(&self) -> Option<&str> {
        Some("openai")
    }

    fn stream(
        &self,
        request: Permit<ModelCallInputs>,
    ) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
        self.0.stream(request)
    }
}

impl fmt::Debug for ChatModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt_as("ChatModel", f)
    }
}
