//! HTTP endpoints that decide.

use exo_rails_policy::ConfigError;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url, redirect};
use serde_json::Value;
use tokio::task::coop::consume_budget;
use tokio::time::timeout;

use super::output::{self, Answer, Limits};
use super::{HandlerFault, HttpRun};
use crate::http_thread::HttpThread;

/// An endpoint that is ready to be asked.
pub(super) struct Endpoint {
    client: Client,
    thread: HttpThread,
    url: Url,
}

impl Endpoint {
    pub(super) fn new(run: &HttpRun) -> Result<Self, ConfigError> {
        let url = url(&run.url).map_err(|error| error.in_key("run.http.url"))?;
        let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        for (name, value) in &run.headers {
            let (name, value) =
                header(name, value).map_err(|error| error.in_key(format!("run.http.headers.{name}")))?;
            headers.insert(name, value);
        }
        let mut client = Client::builder()
            .user_agent(concat!("exo-rails-guards/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            // A redirection would send the event and the headers to another address.
            .redirect(redirect::Policy::none());
        if url.host().is_some_and(|host| is_this_machine(&host.to_string())) {
            client = client.no_proxy();
        }
        let failed = |error: reqwest::Error| ConfigError::new(error.without_url().to_string()).in_key("run.http");
        Ok(Self { client: client.build().map_err(failed)?, thread: HttpThread::new(), url })
    }

    /// Asks the endpoint about one event.
    pub(super) async fn answer(&self, event: &Value, limits: Limits) -> Result<Answer, HandlerFault> {
        let thread = self.thread.running().map_err(|error| HandlerFault::Request(error.into()))?;
        let asking = async {
            let request = self.client.post(self.url.clone()).body(event.to_string());
            let response = thread.connect(async { request.send().await }).await.map_err(failed)?;
            if !response.status().is_success() {
                return Err(HandlerFault::Status(response.status().as_u16()));
            }
            output::parse(&body(response, limits.bytes).await?)
        };
        timeout(limits.time, asking).await.unwrap_or(Err(HandlerFault::Timeout { limit: limits.time }))
    }
}

/// Reads a body up to the limit.
async fn body(mut response: Response, limit: usize) -> Result<Vec<u8>, HandlerFault> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        // The chunks may always be ready, and a time limit acts only if the task waits.
        consume_budget().await;
        if body.len() + chunk.len() > limit {
            return Err(HandlerFault::TooMuchOutput { limit });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The URL may have a token, so no error shows it.
fn failed(error: reqwest::Error) -> HandlerFault {
    HandlerFault::Request(error.without_url().into())
}

fn url(text: &str) -> Result<Url, ConfigError> {
    let url = Url::parse(text).map_err(|error| ConfigError::new(format!("this is not a URL: {error}")))?;
    match url.scheme() {
        "http" => Ok(url),
        "https" if cfg!(feature = "https") => Ok(url),
        "https" => Err(ConfigError::new("TLS needs the feature `https` of `exo-rails-guards`")),
        _ => Err(ConfigError::new("the URL must begin with `http://` or `https://`")),
    }
}

fn is_this_machine(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), ConfigError> {
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| ConfigError::new("this is not a header name"))?;
    let value = expand(value, |name| std::env::var(name).ok())?;
    let mut value = HeaderValue::from_str(&value)
        .map_err(|_| ConfigError::new("the value has characters that a header cannot have"))?;
    // Values are often tokens.
    value.set_sensitive(true);
    Ok((name, value))
}

/// Replaces `${NAME}` and `$NAME` by variables.
fn expand(text: &str, read: impl Fn(&str) -> Option<String>) -> Result<String, ConfigError> {
    let (mut expanded, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('$') {
        expanded.push_str(before);
        let (name, left) = if let Some(left) = after.strip_prefix('$') {
            expanded.push('$');
            rest = left;
            continue;
        } else if let Some(braced) = after.strip_prefix('{') {
            braced.split_once('}').ok_or_else(|| ConfigError::new("`${` has no `}`: write `$$` for a dollar"))?
        } else {
            let end = after.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            after.split_at(end.unwrap_or(after.len()))
        };
        if name.is_empty() {
            return Err(ConfigError::new("`$` has no name after it: write `$$` for a dollar"));
        }
        let value = read(name);
        expanded.push_str(&value.ok_or_else(|| ConfigError::new(format!("the variable `{name}` is not set")))?);
        rest = left;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_expanded() {
        let read = |name: &str| match name {
            "TOKEN" => Some("s3cret".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        let table = [
            ("Bearer $TOKEN", Ok("Bearer s3cret")),
            ("Bearer ${TOKEN}!", Ok("Bearer s3cret!")),
            ("$TOKEN-$TOKEN", Ok("s3cret-s3cret")),
            ("${EMPTY}x", Ok("x")),
            ("no variable", Ok("no variable")),
            ("5 $$", Ok("5 $")),
            ("$$TOKEN", Ok("$TOKEN")),
            ("$MISSING", Err("the variable `MISSING` is not set")),
            ("$TOKENS", Err("the variable `TOKENS` is not set")),
            ("${TOKEN", Err("`${` has no `}`: write `$$` for a dollar")),
            ("$", Err("`$` has no name after it: write `$$` for a dollar")),
            ("${}", Err("`$` has no name after it: write `$$` for a dollar")),
        ];
        for (text, expected) in table {
            let expanded = expand(text, read).map_err(|error| error.message);
            assert_eq!(expanded.as_deref().map_err(String::as_str), expected, "{text}");
        }
    }
}
