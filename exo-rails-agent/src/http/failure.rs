//! What the failures of a server are to rails.

use std::borrow::Cow;
use std::error::Error;
use std::time::{Duration, SystemTime};

use exo_rails::{OperationError, OperationErrorKind};
use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;
use tokio::time::timeout;

use super::body::Body;

/// How much of the body of an error is read.
const LONGEST_BODY: usize = 64 * 1024;

pub(crate) fn timed_out(what: &str, limit: Duration) -> OperationError {
    OperationError::new(OperationErrorKind::Timeout, format!("{what} within {limit:?}"))
}

/// The request did not get as far as an answer.
pub(crate) fn unreachable(error: reqwest::Error) -> OperationError {
    let kind = match () {
        () if error.is_timeout() => OperationErrorKind::Timeout,
        () if error.is_builder() => OperationErrorKind::InvalidRequest,
        () => OperationErrorKind::Unavailable,
    };
    transport(kind, "the server cannot be reached", error)
}

/// The answer did not come to its end.
pub(crate) fn broken_off(error: reqwest::Error) -> OperationError {
    transport(OperationErrorKind::Unavailable, "the answer breaks off", error)
}

fn transport(kind: OperationErrorKind, what: &str, error: reqwest::Error) -> OperationError {
    // A URL may hold a key.
    let error = error.without_url();
    let mut cause: &dyn Error = &error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    OperationError::new(kind, format!("{what}: {cause}")).with_source(error)
}

/// The answer has another status than success.
pub(crate) async fn refused(mut body: Body) -> OperationError {
    let (status, wait, limit) = (body.status(), retry_after(body.headers()), body.limits().chunk);
    // What the server has to say is worth a wait, but not a failure of its own.
    let told = match timeout(limit, body.up_to(LONGEST_BODY)).await {
        Ok(Ok(told)) => message_of_body(&told),
        _ => None,
    };
    let message = told.unwrap_or_else(|| format!("the server answers {}", words(status)));
    let mut error = OperationError::new(kind_of_status(status), message).with_status(status);
    error.retry_after = wait;
    error
}

fn words(status: u16) -> String {
    match StatusCode::from_u16(status) {
        Ok(status) if status.is_redirection() => format!("{status}: a redirection is not followed"),
        Ok(status) => status.to_string(),
        Err(_) => status.to_string(),
    }
}

fn kind_of_status(status: u16) -> OperationErrorKind {
    match status {
        401..=403 => OperationErrorKind::Denied,
        404 => OperationErrorKind::NotFound,
        408 => OperationErrorKind::Timeout,
        429 => OperationErrorKind::RateLimited,
        400..=499 => OperationErrorKind::InvalidRequest,
        500..=599 => OperationErrorKind::Unavailable,
        _ => OperationErrorKind::InvalidResponse,
    }
}

/// What the body of an error says.
fn message_of_body(body: &[u8]) -> Option<String> {
    let text = match serde_json::from_slice::<Value>(body) {
        Ok(told) => Cow::Owned(message_of(told.get("error").unwrap_or(&told))),
        Err(_) => String::from_utf8_lossy(body),
    };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// What an error object says: a text, or an object with one; anything else as it is.
fn message_of(error: &Value) -> String {
    let text = ["message", "detail"].iter().find_map(|name| error.get(name)?.as_str());
    text.or(error.as_str()).map_or_else(|| error.to_string(), ToOwned::to_owned)
}

/// An error that stands where an answer should, or in the middle of one.
pub(crate) fn told(error: &Value) -> OperationError {
    OperationError::new(kind_of(error), message_of(error))
}

/// Parts of what providers write as the `type` or the `code` of an error.
const KINDS: [(&str, OperationErrorKind); 11] = [
    ("rate_limit", OperationErrorKind::RateLimited),
    ("quota", OperationErrorKind::RateLimited),
    ("invalid_request", OperationErrorKind::InvalidRequest),
    ("badrequest", OperationErrorKind::InvalidRequest),
    ("context_length", OperationErrorKind::InvalidRequest),
    ("too_large", OperationErrorKind::InvalidRequest),
    ("authentication", OperationErrorKind::Denied),
    ("permission", OperationErrorKind::Denied),
    ("billing", OperationErrorKind::Denied),
    ("not_found", OperationErrorKind::NotFound),
    ("timeout", OperationErrorKind::Timeout),
];

fn kind_of(error: &Value) -> OperationErrorKind {
    let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    if let Some(status @ 400..=599) = code {
        return kind_of_status(status);
    }
    let words = ["code", "type"].map(|name| error.get(name).and_then(Value::as_str).unwrap_or("").to_lowercase());
    let known = KINDS.iter().find(|(part, _)| words.iter().any(|word| word.contains(part)));
    known.map_or(OperationErrorKind::Unavailable, |(_, kind)| *kind)
}

/// How long the server asks to wait.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let number = |text: &str| text.parse::<f64>().ok();
    if let Some(wait) = text("retry-after-ms").and_then(number) {
        return Duration::try_from_secs_f64(wait / 1_000.0).ok();
    }
    let wait = text(RETRY_AFTER.as_str())?;
    if let Some(seconds) = number(wait) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = httpdate::parse_http_date(wait).ok()?;
    // The server's clock, when it shows it: ours may be wrong.
    let date = text(DATE.as_str()).and_then(|date| httpdate::parse_http_date(date).ok());
    Some(until.duration_since(date.unwrap_or_else(SystemTime::now)).unwrap_or_default())
}
