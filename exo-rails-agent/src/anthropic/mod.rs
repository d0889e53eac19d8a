//! A live model: any server that speaks the [messages protocol](https://platform.claude.com/docs/en/api/messages) of
//! Anthropic. With the feature `anthropic`, or `anthropic-http`, which has no TLS.
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

pub use crate::http::ConfigError;
pub use builder::MessagesModelBuilder;

/// The field of an assistant's [`Message::extra`](exo_rails::message::Message::extra) with the blocks of an answer that are
/// neither text nor tool calls, as the server wrote them: a list, in order.
///
/// Thinking is in it, with its signature, and the results of tools that run on the server. A request sends the blocks back
/// before the text of their message, because the server wants to read its thinking again when a tool has returned. No other
/// model receives them. A rail that hides something in an answer also looks here.
pub const BLOCKS: &str = http::BLOCKS;

/// A model behind a messages endpoint.
///
/// Rails and agents see the same types as with every model, and this model translates:
///
/// | here | in the messages protocol |
/// |---|---|
/// | instructions, at any place of the conversation | `system` |
/// | messages of tools | `tool_result` blocks of a user message |
/// | tool calls | `tool_use` blocks; arguments that are not a JSON object are sent as `{"unreadable_arguments": …}` |
/// | parts `image_url` and `file` | `image` and `document` blocks; other parts as they are |
/// | messages of one role in a row | one message |
/// | the options `stop`, `tool_choice`, `parallel_tool_calls`, `max_completion_tokens` | `stop_sequences`, `tool_choice`, `max_tokens` |
/// | other options | as they are |
/// | `finish_reason` | `stop_reason`, in the words of chat completions: `stop`, `length`, `tool_calls`, `content_filter`; the original is in [`ModelResponse::extra`] |
/// | `prompt_tokens` of the usage | `input_tokens` with the tokens that were read from a cache or written to it; the other counts are in [`Usage::extra`](exo_rails::message::Usage::extra) |
///
/// The blocks of an answer that have no place in these types are in [`BLOCKS`], and the citations of its text in the field
/// `citations` of the message. [`stream`](Model::stream) gives the same answer as [`call`](Model::call).
///
/// It does not try again: that is what rails on [`LlmError`](exo_rails::events::LlmError) are for. For them, an
/// [`OperationError`] has its kind, the status, and the wait that the server asks for:
///
/// | what happens | kind |
/// |---|---|
/// | status 401, 402, 403 | `Denied` |
/// | status 404 | `NotFound` |
/// | status 408; a time limit of the [builder](MessagesModelBuilder) | `Timeout` |
/// | status 429 | `RateLimited` |
/// | another status 4xx; a part that the protocol cannot send | `InvalidRequest` |
/// | status 5xx, such as 529 when the servers are overloaded; no connection; an answer that breaks off | `Unavailable` |
/// | an answer that is none or exceeds a size limit of the [builder](MessagesModelBuilder), a redirection | `InvalidResponse` |
/// | an error instead of an answer, or within it | by its `type`: `rate_limit_error` is `RateLimited`, `overloaded_error` is `Unavailable` |
///
/// A stream that ends without saying why the model stopped has broken off. The future, or the stream, closes the request
/// when it is dropped. It needs a tokio runtime with I/O and time.
///
/// The API key is in no error and not in `Debug`, even when the server repeats it: no eight characters in a row of the key,
/// of a header or of a user, a password or a value in the address, also when they are escaped or in other letters. A secret of
/// three to seven characters is hidden where it is a whole word. A server on this machine is asked without a proxy, whatever
/// `HTTP_PROXY` says.
///
/// ```
/// use exo_rails_agent::anthropic::MessagesModel;
///
/// let model = MessagesModel::builder("claude-sonnet-4-5").base_url("http://localhost:8000").api_key("sk-ant-4711").build()?;
/// assert!(!format!("{model:?}").contains("4711"));
/// # Ok::<(), exo_rails_agent::anthropic::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct MessagesModel(Connection<Messages>);

impl MessagesModel {
    /// Begins a model of this name, at `https://api.anthropic.com` unless the builder sets another address.
    pub fn builder(model: impl Into<String>) -> MessagesModelBuilder {
        MessagesModelBuilder::new(model.into())
    }

    /// The model that the environment names: see [`MessagesModelBuilder::from_env`].
    ///
    /// ```no_run
    /// use exo_rails_agent::Agent;
    /// use exo_rails_agent::anthropic::MessagesModel;
    ///
    /// # fn main() -> Result<(), exo_rails_agent::anthropic::ConfigError> {
    /// let agent = Agent::builder("support", MessagesModel::from_env()?).build();
    /// # let _ = agent; Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When something is missing in the environment or cannot be used.
    pub fn from_env() -> Result<Self, ConfigError> {
        MessagesModelBuilder::from_env()?.build()
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
