//! The builder of a chat model.

use std::env;
use std::fmt;

use super::{ChatModel, wire::ChatCompletions};
use crate::http::{ModelConfigError, Provider, Secret, Settings, Variables, timeouts_and_headers};

static PROVIDER: Provider = Provider {
    base_url: "https://api.openai.com/v1",
    path: |_| &["chat", "completions"],
    key: ("authorization", "Bearer "),
    headers: &[],
    variables: Variables { base_url: "OPENAI_BASE_URL", key: "OPENAI_API_KEY", model: "OPENAI_MODEL" },
    feature: "openai",
};

/// A builder of a [`ChatModel`]: see [`ChatModel::builder`].
///
/// ```
/// use std::time::Duration;
/// use exo_rails_agent::openai::ChatModel;
///
/// let model = ChatModel::builder("Qwen/Qwen3-8B")
///     .base_url("http://localhost:8000/v1")
///     .api_key("sk-4711-secret")
///     .header("X-Title", "support agent")
///     .chunk_timeout(Duration::from_secs(60))
///     .build()?;
/// assert_eq!(model.endpoint(), "http://localhost:8000/v1/chat/completions");
/// # Ok::<(), exo_rails_agent::openai::ModelConfigError>(())
/// ```
#[must_use = "a builder makes a model with `build()`"]
#[derive(Clone)]
pub struct ChatModelBuilder {
    settings: Settings,
}

impl ChatModelBuilder {
    pub(super) fn new(model: String) -> Self {
        Self { settings: Settings::new(&PROVIDER, model) }
    }

    /// Begins the model that the environment names. Reads `OPENAI_MODEL`, `OPENAI_BASE_URL` and `OPENAI_API_KEY`.
    ///
    /// The default of the base URL is `https://api.openai.com/v1`. This server requires a key, so one of
    /// `OPENAI_BASE_URL` and `OPENAI_API_KEY` must be set. An empty variable counts as not set.
    ///
    /// # Errors
    /// Returns an error if a required variable is missing, or if a variable is not Unicode.
    pub fn from_env() -> Result<Self, ModelConfigError> {
        Self::from_env_with(None)
    }

    /// Begins the model like [`from_env`](Self::from_env). If `model` is a name, reads no name from the environment.
    pub(crate) fn from_env_with(model: Option<String>) -> Result<Self, ModelConfigError> {
        Ok(Self { settings: Settings::from_variables(&PROVIDER, model, env::var)? })
    }

    /// Sets the address of the server, including `/v1`. The client adds `/chat/completions`, before a query.
    ///
    /// Errors and `Debug` hide a user, a password and the values of a query in the URL. They do not hide the path. If
    /// your server requires its key in the path, [`ChatModel::endpoint`] and errors show the key.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.settings.base_url = Secret::new(url);
        self
    }

    /// Sets the key. The client sends it as a bearer token. Many local servers need no key.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.settings.api_key = Some(Secret::new(key));
        self
    }

    /// Sets the organisation that pays, if the key belongs to several.
    pub fn organization(self, organization: impl Into<String>) -> Self {
        self.header("OpenAI-Organization", organization)
    }

    timeouts_and_headers!();

    /// Makes the model. Sends nothing yet.
    ///
    /// # Errors
    /// Returns an error if the base URL, the key or a header cannot be used, or if the library cannot make an HTTP
    /// client.
    pub fn build(self) -> Result<ChatModel, ModelConfigError> {
        self.settings.connect(ChatCompletions).map(ChatModel)
    }
}

impl fmt::Debug for ChatModelBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt_as("ChatModelBuilder", f)
    }
}
