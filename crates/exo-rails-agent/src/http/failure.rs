//! Turns failures of a server into errors for rails.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use exo_rails::{OperationError, OperationErrorKind};
use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;
use tokio::time::timeout;

use super::body::Body;

/// The number of bytes that are read from the body of an error.
const LONGEST_BODY: usize = 64 * 1024;

/// Returns the error of an answer whose status is not a success.
pub(crate) async fn refused(mut body: Body) -> OperationError {
    let (status, wait, limit) = (body.status(), retry_after(body.headers()), body.limits().chunk);
    // The client waits for the message of the server. If the message does not arrive, the status alone is the error.
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

/// Returns the message in the body of an error.
fn message_of_body(body: &[u8]) -> Option<String> {
    let text = match serde_json::from_slice::<Value>(body) {
        Ok(told) => Cow::Owned(message_of(told.get("error").unwrap_or(&told))),
        Err(_) => String::from_utf8_lossy(body),
    };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns the message of an error object: a text, or the text in its field `message` or `detail`. Otherwise, returns the
/// JSON of the object.
fn message_of(error: &Value) -> String {
    let text = ["message", "detail"].iter().find_map(|name| error.get(name)?.as_str());
    text.or(error.as_str()).map_or_else(|| error.to_string(), ToOwned::to_owned)
}

/// Returns the error that a server sends instead of an answer, or in the middle of one.
pub(crate) fn told(error: &Value) -> OperationError {
    OperationError::new(kind_of(error), message_of(error))
}

/// Parts of the words that providers write into the `type` or the `code` of an error.
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

/// Returns the wait that the server asks for.
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
    // If the answer has the time of the server, the library uses that clock: the local clock may be wrong.
    let date = text(DATE.as_str()).and_then(|date| httpdate::parse_http_date(date).ok());
    Some(until.duration_since(date.unwrap_or_else(SystemTime::now)).unwrap_or_default())
}
