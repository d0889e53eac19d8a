//! What a messages model needs to know before it can be asked.

use std::env;
use std::fmt;

use super::{MessagesModel, protocol::Messages};
use crate::http::{ConfigError, Provider, Secret, Settings, Variables, timeouts_and_headers};

static PROVIDER: Provider = Provider {
    base_url: "https://api.anthropic.com",
    // The base URL is given with and without the version.
    path: |url| if url.path().trim_end_matches('/').ends_with("/v1") { &["messages"] } else { &["v1", "messages"] },
    key: ("x-api-key", ""),
    headers: &[("anthropic-version", "2023-06-01")],
    variables: Variables { base_url: "ANTHROPIC_BASE_URL", key: "ANTHROPIC_API_KEY", model: "ANTHROPIC_MODEL" },
    feature: "anthropic",
};

/// How many tokens an answer may have when nothing says it. Every model allows as many.
const MAX_TOKENS: u32 = 4096;

/// Makes a [`MessagesModel`]: see [`MessagesModel::builder`].
///
/// ```
/// use std::time::Duration;
/// use exo_rails_agent::anthropic::MessagesModel;
///
/// let model = MessagesModel::builder("claude-sonnet-4-5")
///     .base_url("http://localhost:8000")
///     .api_key("sk-ant-4711-secret")
///     .max_tokens(16_000)
///     .header("anthropic-beta", "context-1m-2025-08-07")
///     .chunk_timeout(Duration::from_secs(60))
///     .build()?;
/// assert_eq!(model.endpoint(), "http://localhost:8000/v1/messages");
/// # Ok::<(), exo_rails_agent::anthropic::ConfigError>(())
/// ```
#[must_use = "a builder makes a model with `build()`"]
#[derive(Clone)]
pub struct MessagesModelBuilder {
    settings: Settings,
    max_tokens: u32,
}

impl MessagesModelBuilder {
    pub(super) fn new(model: String) -> Self {
        Self { settings: Settings::new(&PROVIDER, model), max_tokens: MAX_TOKENS }
    }

    /// Begins the model that the environment names: `ANTHROPIC_MODEL` at `ANTHROPIC_BASE_URL`, with `ANTHROPIC_API_KEY`.
    ///
    /// Without a base URL it is `https://api.anthropic.com`, and there has to be a key. An empty variable is one
    /// that is not set.
    ///
    /// # Errors
    /// When one of them is missing or is not Unicode.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_env_with(None)
    }

    /// The same for this model, when there is one.
    pub(crate) fn from_env_with(model: Option<String>) -> Result<Self, ConfigError> {
        Ok(Self { settings: Settings::from_variables(&PROVIDER, model, env::var)?, max_tokens: MAX_TOKENS })
    }

    /// Where the server is; `/v1/messages` is added, or `/messages` where the URL ends with `/v1`. A query stays behind it.
    ///
    /// A user, a password and the values of a query are hidden in errors and in `Debug`. The path is not: where a server wants
    /// its key in the path, whoever reads [`MessagesModel::endpoint`] or an error reads the key.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.settings.base_url = Secret::new(url);
        self
    }

    /// The key, sent as the header `x-api-key`. Some local servers need none.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.settings.api_key = Some(Secret::new(key));
        self
    }

    /// How many tokens an answer may have: 4,096 when it is not said. The protocol requires this limit. The option
    /// `max_tokens` of a request, or of an agent, takes precedence.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = tokens;
        self
    }

    timeouts_and_headers!();

    /// The model. Nothing is sent yet.
    ///
    /// # Errors
    /// When the base URL, the key or a header cannot be used, or when an HTTP client cannot be made.
    pub fn build(self) -> Result<MessagesModel, ConfigError> {
        self.settings.connect(Messages { max_tokens: self.max_tokens }).map(MessagesModel)
    }
}

impl fmt::Debug for MessagesModelBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt_as("MessagesModelBuilder", f)
    }
}
