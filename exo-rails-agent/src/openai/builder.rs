//! What a chat model needs to know before it can be asked.

use std::env;
use std::fmt;

use super::{ChatModel, wire::ChatCompletions};
use crate::http::{ConfigError, Provider, Secret, Settings, Variables, timeouts_and_headers};

static PROVIDER: Provider = Provider {
    base_url: "https://api.openai.com/v1",
    path: |_| &["chat", "completions"],
    key: ("authorization", "Bearer "),
    headers: &[],
    variables: Variables { base_url: "OPENAI_BASE_URL", key: "OPENAI_API_KEY", model: "OPENAI_MODEL" },
    feature: "openai",
};

/// Makes a [`ChatModel`]: see [`ChatModel::builder`].
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
/// # Ok::<(), exo_rails_agent::openai::ConfigError>(())
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

    /// Begins the model that the environment names: `OPENAI_MODEL` at `OPENAI_BASE_URL`, with `OPENAI_API_KEY`.
    ///
    /// Without a base URL it is `https://api.openai.com/v1`, and there has to be a key. An empty variable is one
    /// that is not set.
    ///
    /// # Errors
    /// When one of them is missing or is not Unicode.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_env_with(None)
    }

    /// The same for this model, when there is one.
    pub(crate) fn from_env_with(model: Option<String>) -> Result<Self, ConfigError> {
        Ok(Self { settings: Settings::from_variables(&PROVIDER, model, env::var)? })
    }

    /// Where the server is, up to and with `/v1`; `/chat/completions` is added. A query stays behind it.
    ///
    /// A user, a password and the values of a query are hidden in errors and in `Debug`. The path is not: where a server wants
    /// its key in the path, whoever reads [`ChatModel::endpoint`] or an error reads the key.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.settings.base_url = Secret::new(url);
        self
    }

    /// The key, sent as a bearer token. Many local servers need none.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.settings.api_key = Some(Secret::new(key));
        self
    }

    /// The organisation that pays, where the key belongs to several.
    pub fn organization(self, organization: impl Into<String>) -> Self {
        self.header("OpenAI-Organization", organization)
    }

    timeouts_and_headers!();

    /// The model. Nothing is sent yet.
    ///
    /// # Errors
    /// When the base URL, the key or a header cannot be used, or when an HTTP client cannot be made.
    pub fn build(self) -> Result<ChatModel, ConfigError> {
        self.settings.connect(ChatCompletions).map(ChatModel)
    }
}

impl fmt::Debug for ChatModelBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt_as("ChatModelBuilder", f)
    }
}
