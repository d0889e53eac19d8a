//! A live model behind any server that speaks the chat-completions protocol. Needs the feature `openai`, or `openai-http`
//! without TLS.
//!
//! Hosted services, vLLM, llama.cpp and Ollama speak this protocol.
//!
//! ```no_run
//! use exo_rails_agent::openai::ChatModel;
//! use exo_rails::prelude::*;
//! use exo_rails_agent::Agent;
//!
//! /// Tries again after the wait that the server asks for.
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

pub use crate::http::ModelConfigError;
pub use builder::ChatModelBuilder;

/// A model behind a chat-completions endpoint.
///
/// The model sends the request as the rails left it. Options such as `temperature` and other unknown fields are in
/// [`ModelCallInputs::extra`].
///
/// The model returns the first choice of the answer. Unknown fields of the message are in the `extra` of the message.
/// Unknown fields of the choice and of the answer are in [`ModelResponse::extra`]. Fields that are `null` are left out.
/// [`stream`](Model::stream) returns the same answer as [`call`](Model::call). It asks the server to stream, and to send
/// the usage unless the request has its own `stream_options`.
///
/// The model does not repeat a failed call. Use a rail on [`LlmError`](exo_rails::events::LlmError) to retry. The rail
/// sees an [`OperationError`] with a kind, the status, and the wait that the server asks for:
///
/// | failure | kind |
/// |---|---|
/// | status 401, 402, 403 | `Denied` |
/// | status 404 | `NotFound` |
/// | status 408; a time limit of the [builder](ChatModelBuilder) | `Timeout` |
/// | status 429 | `RateLimited` |
/// | another status 4xx | `InvalidRequest` |
/// | status 5xx; no connection; an answer that breaks off | `Unavailable` |
/// | an invalid answer; an answer that exceeds a size limit of the [builder](ChatModelBuilder); a redirection | `InvalidResponse` |
/// | an error instead of an answer, or within an answer | by its `code` and `type`, or `Unavailable` if they are not known |
///
/// If a stream ends and the server has not said that the answer is complete, the answer has broken off. Dropping the
/// future or the stream closes the request. The model needs a tokio runtime with I/O and time.
///
/// # Secrets
///
/// No error and no `Debug` output shows the API key, even if the server repeats it. The same applies to the values of
/// headers, and to the user, the password and the values of the query in the URL. Of each secret, eight consecutive
/// characters or more are hidden, even if they are escaped or in another case. A secret of three to seven characters is
/// hidden where it is a whole word.
///
/// For a server on this machine, the client uses no proxy, whatever `HTTP_PROXY` says.
///
/// ```
/// use exo_rails_agent::openai::ChatModel;
///
/// let model = ChatModel::builder("gpt-5-mini").base_url("http://localhost:8000/v1").api_key("sk-4711-secret").build()?;
/// assert!(!format!("{model:?}").contains("4711"));
/// # Ok::<(), exo_rails_agent::openai::ModelConfigError>(())
/// ```
#[derive(Clone)]
pub struct ChatModel(Connection<ChatCompletions>);

impl ChatModel {
    /// Begins a model with this name. The default address is `https://api.openai.com/v1`.
    pub fn builder(model: impl Into<String>) -> ChatModelBuilder {
        ChatModelBuilder::new(model.into())
    }

    /// Makes the model that the environment names: see [`ChatModelBuilder::from_env`].
    ///
    /// ```no_run
    /// use exo_rails_agent::openai::ChatModel;
    /// use exo_rails::prelude::*;
    /// use exo_rails_agent::Agent;
    ///
    /// # fn main() -> Result<(), exo_rails_agent::openai::ModelConfigError> {
    /// let agent = Agent::builder("support", ChatModel::from_env()?).build();
    /// # let _ = agent; Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns an error if a required variable is missing, or if a variable has a value that cannot be used.
    pub fn from_env() -> Result<Self, ModelConfigError> {
        ChatModelBuilder::from_env()?.build()
    }

    /// The name of the model, for requests without a name of a model.
    #[must_use]
    pub fn model(&self) -> &str {
        self.0.model()
    }

    /// The address of the requests. Without a user, a password and a query, because they may contain a key.
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

    // Any server may answer, but the convention identifies a provider by its protocol.
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
