//! The builder of a messages model.

use std::env;
use std::fmt;

use super::{MessagesModel, protocol::Messages};
use crate::http::{ModelConfigError, Provider, Secret, Settings, Variables, timeouts_and_headers};

static PROVIDER: Provider = Provider {
    base_url: "https://api.anthropic.com",
    // Users write the base URL with or without the version.
    path: |url| if url.path().trim_end_matches('/').ends_with("/v1") { &["messages"] } else { &["v1", "messages"] },
    key: ("x-api-key", ""),
    headers: &[("anthropic-version", "2023-06-01")],
    variables: Variables { base_url: "ANTHROPIC_BASE_URL", key: "ANTHROPIC_API_KEY", model: "ANTHROPIC_MODEL" },
    feature: "anthropic",
};

/// The default of [`MessagesModelBuilder::max_tokens`]. Every model allows this number.
const MAX_TOKENS: u32 = 4096;

/// A builder of a [`MessagesModel`]: see [`MessagesModel::builder`].
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
/// # Ok::<(), exo_rails_agent::anthropic::ModelConfigError>(())
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

    /// Begins the model that the environment names. Reads `ANTHROPIC_MODEL`, `ANTHROPIC_BASE_URL` and
    /// `ANTHROPIC_API_KEY`.
    ///
    /// The default of the base URL is `https://api.anthropic.com`. This server requires a key, so one of
    /// `ANTHROPIC_BASE_URL` and `ANTHROPIC_API_KEY` must be set. An empty variable counts as not set.
    ///
    /// # Errors
    /// Returns an error if a required variable is missing, or if a variable is not Unicode.
    pub fn from_env() -> Result<Self, ModelConfigError> {
        Self::from_env_with(None)
    }

    /// Begins the model like [`from_env`](Self::from_env). If `model` is a name, reads no name from the environment.
    pub(crate) fn from_env_with(model: Option<String>) -> Result<Self, ModelConfigError> {
        Ok(Self { settings: Settings::from_variables(&PROVIDER, model, env::var)?, max_tokens: MAX_TOKENS })
    }

    /// Sets the address of the server. The client adds `/v1/messages`, or `/messages` if the URL ends with `/v1`. The
    /// path is added before a query.
    ///
    /// Errors and `Debug` hide a user, a password and the values of a query in the URL. They do not hide the path. If
    /// your server requires its key in the path, [`MessagesModel::endpoint`] and errors show the key.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.settings.base_url = Secret::new(url);
        self
    }

    /// Sets the key. The client sends it in the header `x-api-key`. Some local servers need no key.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.settings.api_key = Some(Secret::new(key));
        self
    }

    /// Sets how many tokens an answer may have. The default is 4,096. The protocol requires this limit. The option
    /// `max_tokens` of a request or of an agent takes precedence.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = tokens;
        self
    }

    timeouts_and_headers!();

    /// Makes the model. Sends nothing yet.
    ///
    /// # Errors
    /// Returns an error if the base URL, the key or a header cannot be used, or if the library cannot make an HTTP
    /// client.
    pub fn build(self) -> Result<MessagesModel, ModelConfigError> {
        self.settings.connect(Messages { max_tokens: self.max_tokens }).map(MessagesModel)
    }
}

impl fmt::Debug for MessagesModelBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt_as("MessagesModelBuilder", f)
    }
}
