//! A live model behind any server that speaks the [messages protocol](https://platform.claude.com/docs/en/api/messages)
//! of Anthropic. Needs the feature `anthropic`, or `anthropic-http` without TLS.
//!
//! ```no_run
//! use exo_rails_agent::Agent;
//! use exo_rails_agent::anthropic::MessagesModel;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = MessagesModel::builder("claude-sonnet-4-5").api_key(std::env::var("ANTHROPIC_API_KEY")?).build()?;
//! let agent = Agent::builder("support", model).build();
//! println!("{}", agent.run("Where is my order?").await?.text);
//! # Ok(()) }
//! ```

mod answer;
mod builder;
mod protocol;
mod request;

use std::fmt;

use exo_rails::{ModelCallInputs, ModelDelta, ModelResponse, OperationError, Permit};
use futures_core::Stream;

use crate::http::{self, Connection};
use crate::model::Model;
pub(crate) use protocol::Messages;

pub use crate::http::ModelConfigError;
pub use builder::MessagesModelBuilder;

/// The name of a field in the [`Message::extra`](exo_rails::message::Message::extra) of an assistant. The field is a list
/// of the blocks of an answer that are neither text nor tool calls, in order and as the server wrote them.
///
/// The list has the thinking of the model with its signature, and the results of tools that run on the server. A request
/// sends the blocks back before the text of their message: after a tool has returned, the server needs the thinking
/// again. Other models do not receive the blocks. A rail that hides something in an answer must look in this field too.
pub const BLOCKS: &str = http::BLOCKS;

/// A model behind a messages endpoint.
///
/// Rails and agents see the same types as with every other model. The model translates these types:
///
/// | in this library | in the messages protocol |
/// |---|---|
/// | instructions, at any place of the conversation | `system` |
/// | messages of tools | `tool_result` blocks of a user message |
/// | tool calls | `tool_use` blocks; arguments that are not a JSON object are sent as `{"unreadable_arguments": …}` |
/// | parts `image_url` and `file` | `image` and `document` blocks; other parts are sent unchanged |
/// | consecutive messages of one role | one message |
/// | the options `stop`, `tool_choice`, `parallel_tool_calls`, `max_completion_tokens` | `stop_sequences`, `tool_choice`, `max_tokens` |
/// | other options | sent unchanged |
/// | `finish_reason` | `stop_reason`, in the words of chat completions: `stop`, `length`, `tool_calls`, `content_filter`; the original is in [`ModelResponse::extra`] |
/// | `prompt_tokens` of the usage | `input_tokens` and the tokens that were read from a cache or written to it; the other counts are in [`Usage::extra`](exo_rails::message::Usage::extra) |
///
/// [`BLOCKS`] names the field for blocks of an answer that these types cannot express. The citations of a text are in the
/// field `citations` of the message. [`stream`](Model::stream) returns the same answer as [`call`](Model::call).
///
/// The model does not repeat a failed call. Use a rail on [`LlmError`](exo_rails::events::LlmError) to retry. The rail
/// sees an [`OperationError`] with a kind, the status, and the wait that the server asks for:
///
/// | failure | kind |
/// |---|---|
/// | status 401, 402, 403 | `Denied` |
/// | status 404 | `NotFound` |
/// | status 408; a time limit of the [builder](MessagesModelBuilder) | `Timeout` |
/// | status 429 | `RateLimited` |
/// | another status 4xx; a part that the protocol cannot send | `InvalidRequest` |
/// | status 5xx, such as 529 when the servers are overloaded; no connection; an answer that breaks off | `Unavailable` |
/// | an invalid answer; an answer that exceeds a size limit of the [builder](MessagesModelBuilder); a redirection | `InvalidResponse` |
/// | an error instead of an answer, or within an answer | by its `type`: `rate_limit_error` is `RateLimited`, `overloaded_error` is `Unavailable` |
///
/// If a stream ends without a stop reason, the answer has broken off. Dropping the future or the stream closes the
/// request. The model needs a tokio runtime with I/O and time.
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
/// use exo_rails_agent::anthropic::MessagesModel;
///
/// let model = MessagesModel::builder("claude-sonnet-4-5").base_url("http://localhost:8000").api_key("sk-ant-4711").build()?;
/// assert!(!format!("{model:?}").contains("4711"));
/// # Ok::<(), exo_rails_agent::anthropic::ModelConfigError>(())
/// ```
#[derive(Clone)]
pub struct MessagesModel(Connection<Messages>);

impl MessagesModel {
    /// Begins a model with this name. The default address is `https://api.anthropic.com`.
    pub fn builder(model: impl Into<String>) -> MessagesModelBuilder {
        MessagesModelBuilder::new(model.into())
    }

    /// Makes the model that the environment names: see [`MessagesModelBuilder::from_env`].
    ///
    /// ```no_run
    /// use exo_rails_agent::Agent;
    /// use exo_rails_agent::anthropic::MessagesModel;
    ///
    /// # fn main() -> Result<(), exo_rails_agent::anthropic::ModelConfigError> {
    /// let agent = Agent::builder("support", MessagesModel::from_env()?).build();
    /// # let _ = agent; Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns an error if a required variable is missing, or if a variable has a value that cannot be used.
    pub fn from_env() -> Result<Self, ModelConfigError> {
        MessagesModelBuilder::from_env()?.build()
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

impl Model for MessagesModel {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        self.0.call(request).await
    }

    fn model_name(&self) -> Option<&str> {
        Some(self.0.model())
    }

    fn provider(&self) -> Option<&str> {
        Some("anthropic")
    }

    fn stream(
        &self,
        request: Permit<ModelCallInputs>,
    ) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
        self.0.stream(request)
    }
}

impl fmt::Debug for MessagesModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt_as("MessagesModel", f)
    }
}
