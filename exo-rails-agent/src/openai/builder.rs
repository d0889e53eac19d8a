//! What a model needs to know before it can be asked.

use std::env::{self, VarError};
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url, redirect};

use super::failure::Secrets;
use super::{ChatModel, Limits};

const BASE_URL: &str = "https://api.openai.com/v1";

const USER_AGENT: &str = concat!("exo-rails/", env!("CARGO_PKG_VERSION"));

const CONNECT: Duration = Duration::from_secs(10);
/// A server that does not stream answers when the model has finished.
const RESPONSE: Duration = Duration::from_mins(10);
/// Models that think may be silent for long.
const CHUNK: Duration = Duration::from_mins(5);

/// A header with fewer characters is no key, and may well be part of a word.
const SHORTEST_SECRET: usize = 8;

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
    model: String,
    base_url: String,
    api_key: Option<String>,
    headers: Vec<(String, String)>,
    organization: Option<String>,
    connect: Duration,
    limits: Limits,
}

/// What a model is told cannot be used.
///
/// ```
/// use exo_rails_agent::openai::ChatModel;
///
/// let error = ChatModel::builder("qwen3").base_url("localhost:8000").build().unwrap_err();
/// assert_eq!(error.to_string(), "the base URL is not usable: it does not begin with http:// or https://");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A variable of the environment that has to be there is missing or empty.
    #[error("the environment variable {variable} is not set")]
    NotSet {
        /// Its name.
        variable: &'static str,
    },
    /// A variable of the environment is no Unicode.
    #[error("the environment variable {variable} is not Unicode")]
    NotUnicode {
        /// Its name.
        variable: &'static str,
    },
    /// The base URL is none, or none of HTTP. It is not shown, because it may hold a key.
    #[error("the base URL is not usable: {reason}")]
    BaseUrl {
        /// What is wrong with it.
        reason: String,
    },
    /// The base URL begins with `https://`, and this build has the feature `openai-http` only.
    #[error("https:// needs TLS: turn on the feature `openai` of `exo-rails`")]
    NoTls,
    /// The API key has characters that no header can have. It is not shown.
    #[error("the API key has characters that an HTTP header cannot have")]
    ApiKey,
    /// A header has a name or a value that no header can have. The value is not shown.
    #[error("`{name}` is no HTTP header, or has a value that an HTTP header cannot have")]
    Header {
        /// Its name.
        name: String,
    },
    /// There is no HTTP client to be had: the machine's certificates cannot be read, for example.
    #[error("cannot make an HTTP client: {0}")]
    Client(#[source] Box<dyn Error + Send + Sync>),
}

impl ChatModelBuilder {
    pub(super) fn new(model: String) -> Self {
        Self {
            model,
            base_url: BASE_URL.to_owned(),
            api_key: None,
            headers: Vec::new(),
            organization: None,
            connect: CONNECT,
            limits: Limits { response: RESPONSE, chunk: CHUNK },
        }
    }

    /// Begins the model that the environment names: `OPENAI_MODEL` at `OPENAI_BASE_URL`, with `OPENAI_API_KEY`.
    ///
    /// Without a base URL it is `https://api.openai.com/v1`, and there has to be a key. An empty variable is one
    /// that is not set.
    ///
    /// # Errors
    /// When one of them is missing or is no Unicode.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_variables(env::var)
    }

    fn from_variables(read: impl Fn(&'static str) -> Result<String, VarError>) -> Result<Self, ConfigError> {
        let read = |variable| match read(variable) {
            Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
            Err(VarError::NotPresent) => Ok(None),
            Err(VarError::NotUnicode(_)) => Err(ConfigError::NotUnicode { variable }),
        };
        let required = |variable| read(variable)?.ok_or(ConfigError::NotSet { variable });
        let (base_url, api_key) = (read("OPENAI_BASE_URL")?, read("OPENAI_API_KEY")?);
        if base_url.is_none() && api_key.is_none() {
            return Err(ConfigError::NotSet { variable: "OPENAI_API_KEY" });
        }
        let builder = Self { api_key, ..Self::new(required("OPENAI_MODEL")?) };
        Ok(base_url.into_iter().fold(builder, Self::base_url))
    }

    /// Where the server is, up to and with `/v1`; `/chat/completions` is added. A query stays behind it.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = url.into();
        self
    }

    /// The key, sent as a bearer token. Many local servers need none.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// The organisation that pays, where the key belongs to several.
    pub fn organization(mut self, organization: impl Into<String>) -> Self {
        self.organization = Some(organization.into());
        self
    }

    /// A header of every request. Its value may be a key: like that, it is not shown.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// How long a connection may take: 10 seconds when it is not said.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect = limit;
        self
    }

    /// How long it may take until the answer begins, with the connection: 10 minutes when it is not said. An answer
    /// that is not streamed usually begins when the model has finished.
    pub fn response_timeout(mut self, limit: Duration) -> Self {
        self.limits.response = limit;
        self
    }

    /// How long the server may be silent within an answer: 5 minutes when it is not said. A comment that keeps the
    /// connection alive ends the silence.
    pub fn chunk_timeout(mut self, limit: Duration) -> Self {
        self.limits.chunk = limit;
        self
    }

    /// The model. Nothing is sent yet.
    ///
    /// # Errors
    /// When the base URL, the key or a header cannot be used, or there is no HTTP client to be had.
    pub fn build(self) -> Result<ChatModel, ConfigError> {
        let (url, headers) = (endpoint(&self.base_url)?, self.headers()?);
        if url.scheme() == "https" && !cfg!(feature = "openai") {
            return Err(ConfigError::NoTls);
        }
        let client = Client::builder()
            .user_agent(USER_AGENT)
            .default_headers(headers)
            .connect_timeout(self.connect)
            // A key goes where it was told to go and nowhere else.
            .redirect(redirect::Policy::none())
            .build()
            .map_err(|error| ConfigError::Client(error.without_url().into()))?;
        let secrets = Arc::new(self.secrets());
        Ok(ChatModel { client, url, model: self.model, secrets, limits: self.limits })
    }

    fn key(&self) -> Option<&str> {
        self.api_key.as_deref().filter(|key| !key.is_empty())
    }

    fn headers(&self) -> Result<HeaderMap, ConfigError> {
        let mut headers = HeaderMap::new();
        if let Some(key) = self.key() {
            headers.insert(AUTHORIZATION, sensitive(&format!("Bearer {key}")).ok_or(ConfigError::ApiKey)?);
        }
        let organization = self.organization.iter().map(|id| ("OpenAI-Organization", id.as_str()));
        let others = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in organization.chain(others) {
            let wrong = || ConfigError::Header { name: name.to_owned() };
            let key = HeaderName::try_from(name).map_err(|_| wrong())?;
            headers.insert(key, sensitive(value).ok_or_else(wrong)?);
        }
        Ok(headers)
    }

    fn secrets(&self) -> Secrets {
        let headers = self.headers.iter().map(|(_, value)| value).filter(|value| value.len() >= SHORTEST_SECRET);
        let mut secrets: Vec<_> =
            self.key().into_iter().chain(headers.map(String::as_str)).map(str::to_owned).collect();
        // One may be part of another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Secrets(secrets)
    }
}

/// A value that the HTTP client does not log.
fn sensitive(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn endpoint(base: &str) -> Result<Url, ConfigError> {
    let unusable = |reason: &str| ConfigError::BaseUrl { reason: reason.to_owned() };
    let mut url = Url::parse(base).map_err(|error| unusable(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(unusable("it does not begin with http:// or https://"));
    }
    let mut path = url.path_segments_mut().map_err(|()| unusable("it has no path"))?;
    path.pop_if_empty().extend(["chat", "completions"]);
    drop(path);
    Ok(url)
}

impl fmt::Debug for ChatModelBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("ChatModelBuilder")
            .field("model", &self.model)
            .field("headers", &headers)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::env::VarError;
    use std::ffi::OsString;

    use super::{ChatModel, ChatModelBuilder, ConfigError, HeaderValue};

    /// The model that these variables name: its endpoint, its name, and whether it has a key.
    fn from(variables: &[(&str, &str)]) -> Result<(String, String, bool), ConfigError> {
        let builder = ChatModelBuilder::from_variables(|name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned()).ok_or(VarError::NotPresent)
        })?;
        let keyed = builder.key().is_some();
        let model = builder.build()?;
        Ok((model.endpoint(), model.model().to_owned(), keyed))
    }

    #[test]
    fn the_environment_names_a_model() -> Result<(), ConfigError> {
        let (url, key, model) = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL");
        let local = "http://localhost:8000/v1/chat/completions";
        let cases = [
            (&[(key, "sk"), (model, "m")][..], "https://api.openai.com/v1/chat/completions", true),
            (&[(url, "http://localhost:8000/v1"), (model, "m")], local, false),
            (&[(url, "http://localhost:8000/v1/"), (key, ""), (model, "m")], local, false),
            (&[(url, "http://user:pw@localhost:8000/v1?key=sk"), (key, "sk"), (model, "m")], local, true),
            (&[(url, ""), (key, "sk"), (model, "m")], "https://api.openai.com/v1/chat/completions", true),
        ];
        for (variables, endpoint, keyed) in cases {
            if endpoint.starts_with("https:") && !cfg!(feature = "openai") {
                assert!(matches!(from(variables), Err(ConfigError::NoTls)), "{variables:?}");
                continue;
            }
            assert_eq!(from(variables)?, (endpoint.to_owned(), "m".to_owned(), keyed), "{variables:?}");
        }
        Ok(())
    }

    #[test]
    fn an_environment_that_names_no_model_is_an_error_that_helps() {
        let (url, key, model) = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL");
        let cases = [
            (&[][..], "the environment variable OPENAI_API_KEY is not set"),
            (&[(model, "m")], "the environment variable OPENAI_API_KEY is not set"),
            (&[(key, "sk")], "the environment variable OPENAI_MODEL is not set"),
            (&[(key, "sk"), (model, "")], "the environment variable OPENAI_MODEL is not set"),
            (&[(key, "s\nk"), (model, "m")], "the API key has characters that an HTTP header cannot have"),
            (
                &[(url, "ftp://x"), (model, "m")],
                "the base URL is not usable: it does not begin with http:// or https://",
            ),
            (&[(url, "v1"), (model, "m")], "the base URL is not usable: relative URL without a base"),
        ];
        for (variables, message) in cases {
            let error = from(variables).err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), Some(message), "{variables:?}");
        }
        let odd = ChatModelBuilder::from_variables(|_| Err(VarError::NotUnicode(OsString::new())));
        assert!(matches!(odd, Err(ConfigError::NotUnicode { variable: "OPENAI_BASE_URL" })));
    }

    #[test]
    fn no_header_is_logged() -> Result<(), ConfigError> {
        let headers = ChatModel::builder("m").api_key("sk").organization("o").header("api-key", "k").headers()?;
        assert_eq!(headers.len(), 3);
        assert!(headers.values().all(HeaderValue::is_sensitive));
        Ok(())
    }

    #[test]
    fn a_header_that_is_none_is_named_without_its_value() {
        for (name, value) in [("x title", "a"), ("x-title", "sk-4711\n")] {
            let error = ChatModel::builder("m").header(name, value).build().err().map(|error| error.to_string());
            let expected = format!("`{name}` is no HTTP header, or has a value that an HTTP header cannot have");
            assert_eq!(error, Some(expected));
        }
    }
}
