//! The settings of a model behind a server.

use std::env::VarError;
use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url, redirect};

use super::connection::Connection;
use super::limits::Limits;
use super::secret::{Secret, Secrets};

const USER_AGENT: &str = concat!("exo-rails/", env!("CARGO_PKG_VERSION"));

const CONNECT: Duration = Duration::from_secs(10);

/// The facts about a provider: its address, its headers, and the variables of the environment.
pub(crate) struct Provider {
    pub(crate) base_url: &'static str,
    /// The path that is added to the base URL.
    pub(crate) path: fn(&Url) -> &'static [&'static str],
    /// The name of the header with the key, and the text before the key.
    pub(crate) key: (&'static str, &'static str),
    /// Other headers of every request.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    pub(crate) variables: Variables,
    /// The feature that builds the client of the provider with TLS.
    pub(crate) feature: &'static str,
}

/// The variables of the environment that configure a model.
pub(crate) struct Variables {
    pub(crate) base_url: &'static str,
    pub(crate) key: &'static str,
    pub(crate) model: &'static str,
}

/// The settings that the builder of a model collects.
#[derive(Clone)]
pub(crate) struct Settings {
    provider: &'static Provider,
    pub(crate) model: String,
    pub(crate) base_url: Secret,
    pub(crate) api_key: Option<Secret>,
    pub(crate) headers: Vec<(String, Secret)>,
    pub(crate) connect: Duration,
    pub(crate) limits: Limits,
}

/// The settings of a model cannot be used.
///
/// ```
/// # #[cfg(feature = "openai-http")] {
/// use exo_rails_agent::openai::ChatModel;
///
/// let error = ChatModel::builder("qwen3").base_url("localhost:8000").build().unwrap_err();
/// assert_eq!(error.to_string(), "the base URL is not usable: it does not begin with http:// or https://");
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelConfigError {
    /// A required variable of the environment is missing or empty.
    #[error("the environment variable {variable} is not set")]
    NotSet {
        /// The name of the variable.
        variable: &'static str,
    },
    /// A variable of the environment is not Unicode.
    #[error("the environment variable {variable} is not Unicode")]
    NotUnicode {
        /// The name of the variable.
        variable: &'static str,
    },
    /// The base URL is not a URL, or not a URL of HTTP. The error does not show the URL, which may contain a key.
    #[error("the base URL is not usable: {reason}")]
    BaseUrl {
        /// The reason.
        reason: String,
    },
    /// The base URL begins with `https://`, and this build has no TLS.
    #[error("https:// needs TLS: turn on the feature `{feature}` of `exo-rails-agent`")]
    NoTls {
        /// The feature that adds TLS.
        feature: &'static str,
    },
    /// The API key has characters that a header cannot have. The error does not show the key.
    #[error("the API key has characters that an HTTP header cannot have")]
    ApiKey,
    /// A header has a name or a value that no header can have. The error does not show the value.
    #[error("`{name}` is not the name of an HTTP header, or an HTTP header cannot have its value")]
    Header {
        /// The name of the header.
        name: String,
    },
    /// The library cannot make an HTTP client, for example because it cannot read the certificates of the machine.
    #[error("cannot make an HTTP client: {0}")]
    Client(#[source] Box<dyn Error + Send + Sync>),
}

impl Settings {
    pub(crate) fn new(provider: &'static Provider, model: String) -> Self {
        Self {
            provider,
            model,
            base_url: Secret::new(provider.base_url),
            api_key: None,
            headers: Vec::new(),
            connect: CONNECT,
            limits: Limits::default(),
        }
    }

    /// Reads the settings from the environment. If the caller has chosen a model, no variable needs to name one.
    pub(crate) fn from_variables(
        provider: &'static Provider,
        model: Option<String>,
        read: impl Fn(&'static str) -> Result<String, VarError>,
    ) -> Result<Self, ModelConfigError> {
        let read = |variable| match read(variable) {
            Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
            Err(VarError::NotPresent) => Ok(None),
            Err(VarError::NotUnicode(_)) => Err(ModelConfigError::NotUnicode { variable }),
        };
        let Variables { base_url, key, model: model_name } = provider.variables;
        let (base_url, api_key) = (read(base_url)?, read(key)?);
        // A server at another address may need no key.
        if base_url.is_none() && api_key.is_none() {
            return Err(ModelConfigError::NotSet { variable: key });
        }
        let model = match model {
            Some(model) => model,
            None => read(model_name)?.ok_or(ModelConfigError::NotSet { variable: model_name })?,
        };
        let mut settings = Self { api_key: api_key.map(Secret::new), ..Self::new(provider, model) };
        if let Some(base_url) = base_url {
            settings.base_url = Secret::new(base_url);
        }
        Ok(settings)
    }

    /// Makes the connection. Sends nothing yet.
    pub(crate) fn connect<P>(self, protocol: P) -> Result<Connection<P>, ModelConfigError> {
        let (url, headers) = (self.endpoint()?, self.header_map()?);
        if url.scheme() == "https" && !cfg!(any(feature = "openai", feature = "anthropic")) {
            return Err(ModelConfigError::NoTls { feature: self.provider.feature });
        }
        let mut client = Client::builder()
            .user_agent(USER_AGENT)
            .default_headers(headers)
            .connect_timeout(self.connect)
            // A redirection would send the key to another address.
            .redirect(redirect::Policy::none());
        if is_this_machine(&url) {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| ModelConfigError::Client(error.without_url().into()))?;
        let secrets = Arc::new(self.secrets(&url));
        let thread = Arc::default();
        Ok(Connection { protocol, client, thread, url, model: self.model, secrets, limits: self.limits })
    }

    fn key(&self) -> Option<&str> {
        self.api_key.as_ref().map(Secret::expose).filter(|key| !key.is_empty())
    }

    fn endpoint(&self) -> Result<Url, ModelConfigError> {
        let unusable = |reason: &str| ModelConfigError::BaseUrl { reason: reason.to_owned() };
        let mut url = Url::parse(self.base_url.expose()).map_err(|error| unusable(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(unusable("it does not begin with http:// or https://"));
        }
        let added = (self.provider.path)(&url);
        let mut path = url.path_segments_mut().map_err(|()| unusable("it has no path"))?;
        path.pop_if_empty().extend(added);
        drop(path);
        Ok(url)
    }

    fn header_map(&self) -> Result<HeaderMap, ModelConfigError> {
        let mut headers = HeaderMap::new();
        if let Some(key) = self.key() {
            let (name, before) = self.provider.key;
            headers.insert(name, sensitive(&format!("{before}{key}")).ok_or(ModelConfigError::ApiKey)?);
        }
        let others = self.headers.iter().map(|(name, value)| (name.as_str(), value.expose()));
        for (name, value) in self.provider.headers.iter().copied().chain(others) {
            let wrong = || ModelConfigError::Header { name: name.to_owned() };
            let key = HeaderName::try_from(name).map_err(|_| wrong())?;
            headers.insert(key, sensitive(value).ok_or_else(wrong)?);
        }
        Ok(headers)
    }

    fn secrets(&self, url: &Url) -> Secrets {
        let mut secrets = Secrets::default();
        secrets.add_url(url);
        self.key().into_iter().for_each(|key| secrets.add(key));
        self.headers.iter().for_each(|(_, value)| secrets.add_header(value.expose()));
        secrets
    }

    /// Formats a builder of this type for `Debug`, without parts that may be a key.
    pub(crate) fn fmt_as(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct(name)
            .field("model", &self.model)
            .field("headers", &headers)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Returns `true` if a server at this address runs on this machine. The client then uses no proxy, whatever the
/// environment says. A proxy would receive the key.
fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback() || address.to_canonical().is_unspecified(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// Makes the value of a header that the HTTP client does not log.
fn sensitive(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Writes the methods that every builder has. The builder needs a field `settings`.
macro_rules! timeouts_and_headers {
    () => {
        /// Adds a header to every request. The value may be a key, so errors and `Debug` do not show it.
        pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
            self.settings.headers.push((name.into(), crate::http::Secret::new(value)));
            self
        }

        /// Sets how long connecting may take. The default is 10 seconds.
        pub fn connect_timeout(mut self, limit: std::time::Duration) -> Self {
            self.settings.connect = limit;
            self
        }

        /// Sets how long the client waits for the beginning of the answer, including the time to connect. The default is
        /// 10 minutes. An answer that is not streamed usually begins when the model has finished.
        pub fn response_timeout(mut self, limit: std::time::Duration) -> Self {
            self.settings.limits.response = limit;
            self
        }

        /// Sets how long the server may be silent within an answer. The default is 5 minutes. A comment that keeps the
        /// connection alive counts as data.
        pub fn chunk_timeout(mut self, limit: std::time::Duration) -> Self {
            self.settings.limits.chunk = limit;
            self
        }

        /// Sets how long the whole answer may take, from the request to the end of the answer. The default is an hour.
        pub fn answer_timeout(mut self, limit: std::time::Duration) -> Self {
            self.settings.limits.answer = limit;
            self
        }

        /// Sets how many bytes an answer may have, as a whole or in all events of its stream. The default is 64 MiB. An
        /// answer that exceeds this limit or one of the following limits is an error of the kind `InvalidResponse`.
        pub fn max_answer_bytes(mut self, bytes: usize) -> Self {
            self.settings.limits.bytes = bytes;
            self
        }

        /// Sets how many bytes one event of a streamed answer may have. The default is 16 MiB.
        pub fn max_event_bytes(mut self, bytes: usize) -> Self {
            self.settings.limits.event = bytes;
            self
        }

        /// Sets how many bytes of memory the JSON of an answer may take. The default is 256 MiB. The library estimates
        /// the memory before it reads the JSON. An object takes about a kilobyte, even if it is short. So an answer of a
        /// few megabytes could fill the memory without this limit.
        pub fn max_answer_memory(mut self, bytes: usize) -> Self {
            self.settings.limits.memory = bytes;
            self
        }
    };
}

pub(crate) use timeouts_and_headers;

#[cfg(test)]
mod tests {
    use std::env::VarError;
    use std::ffi::OsString;

    use super::{HeaderValue, ModelConfigError, Provider, Secret, Settings, Url, Variables, is_this_machine};

    static PROVIDER: Provider = Provider {
        base_url: "https://api.example.com/v1",
        path: |_| &["chat", "completions"],
        key: ("authorization", "Bearer "),
        headers: &[("x-version", "1")],
        variables: Variables { base_url: "BASE_URL", key: "API_KEY", model: "MODEL" },
        feature: "openai",
    };

    fn settings(variables: &[(&str, &str)], model: Option<&str>) -> Result<Settings, ModelConfigError> {
        Settings::from_variables(&PROVIDER, model.map(str::to_owned), |name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned()).ok_or(VarError::NotPresent)
        })
    }

    /// Returns the model that these variables name: its endpoint, its name, and whether it has a key.
    fn from(variables: &[(&str, &str)]) -> Result<(String, String, bool), ModelConfigError> {
        let settings = settings(variables, None)?;
        let keyed = settings.key().is_some();
        let connection = settings.connect(())?;
        Ok((connection.url.to_string(), connection.model, keyed))
    }

    #[test]
    fn the_environment_names_a_model() -> Result<(), ModelConfigError> {
        let (url, key, model) = ("BASE_URL", "API_KEY", "MODEL");
        let local = "http://localhost:8000/v1/chat/completions";
        let hosted = "https://api.example.com/v1/chat/completions";
        let cases = [
            (&[(key, "sk"), (model, "m")][..], hosted, true),
            (&[(url, "http://localhost:8000/v1"), (model, "m")], local, false),
            (&[(url, "http://localhost:8000/v1/"), (key, ""), (model, "m")], local, false),
            (&[(url, "http://localhost:8000/v1"), (key, "sk"), (model, "m")], local, true),
            (&[(url, ""), (key, "sk"), (model, "m")], hosted, true),
        ];
        for (variables, endpoint, keyed) in cases {
            if endpoint.starts_with("https:") && !cfg!(any(feature = "openai", feature = "anthropic")) {
                assert!(matches!(from(variables), Err(ModelConfigError::NoTls { feature: "openai" })), "{variables:?}");
                continue;
            }
            assert_eq!(from(variables)?, (endpoint.to_owned(), "m".to_owned(), keyed), "{variables:?}");
        }
        assert_eq!(settings(&[(key, "sk"), (model, "m")], Some("chosen"))?.model, "chosen");
        assert_eq!(settings(&[(key, "sk")], Some("chosen"))?.model, "chosen");
        Ok(())
    }

    #[test]
    fn an_environment_that_names_no_model_is_an_error_that_helps() {
        let (url, key, model) = ("BASE_URL", "API_KEY", "MODEL");
        let cases = [
            (&[][..], "the environment variable API_KEY is not set"),
            (&[(model, "m")], "the environment variable API_KEY is not set"),
            (&[(key, "sk")], "the environment variable MODEL is not set"),
            (&[(key, "sk"), (model, "")], "the environment variable MODEL is not set"),
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
        let odd = Settings::from_variables(&PROVIDER, None, |_| Err(VarError::NotUnicode(OsString::new())));
        assert!(matches!(odd, Err(ModelConfigError::NotUnicode { variable: "BASE_URL" })));
    }

    fn with_header(name: &str, value: &str) -> Settings {
        let headers = vec![(name.to_owned(), Secret::new(value))];
        Settings { api_key: Some(Secret::new("sk")), headers, ..Settings::new(&PROVIDER, "m".to_owned()) }
    }

    #[test]
    fn addresses_of_this_machine_are_known() {
        let local = [
            "localhost:1",
            "LOCALHOST.",
            "a.localhost",
            "127.0.0.1",
            "127.9.9.9",
            "[::1]:80",
            "[::ffff:127.0.0.1]",
            "0.0.0.0",
            "[::]",
            "127.1",
        ];
        let remote = ["example.com", "localhost.example.com", "10.0.0.1", "[2001:db8::1]", "128.0.0.1"];
        let is_local = |host: &&str| Url::parse(&format!("http://{host}/v1")).is_ok_and(|url| is_this_machine(&url));
        assert!(local.iter().all(is_local) && !remote.iter().any(is_local));
    }

    #[test]
    fn no_header_is_logged() -> Result<(), ModelConfigError> {
        let headers = with_header("api-key", "k").header_map()?;
        assert_eq!(headers.len(), 3);
        assert!(headers.values().all(HeaderValue::is_sensitive));
        Ok(())
    }

    #[test]
    fn an_error_about_an_invalid_header_names_it_without_its_value() {
        for (name, value) in [("x title", "a"), ("x-title", "sk-4711\n")] {
            let error = with_header(name, value).connect(()).err().map(|error| error.to_string());
            let expected =
                format!("`{name}` is not the name of an HTTP header, or an HTTP header cannot have its value");
            assert_eq!(error, Some(expected));
        }
    }
}
