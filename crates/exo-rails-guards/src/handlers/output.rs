//! The answer of a handler: the text, the exit code of a command, and the limits.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::HandlerFault;

/// The number of characters of a reason or a message.
const MAX_TEXT: usize = 4_000;

const NO_OBJECT: &str = "it is not a JSON object";

/// The answer of a handler.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Answer {
    /// What the handler decides. `None` means no objection.
    pub(super) decision: Option<Decision>,
    /// Why.
    #[serde(deserialize_with = "text")]
    pub(super) reason: Option<String>,
    /// A text for the model.
    #[serde(deserialize_with = "text")]
    pub(super) context_message: Option<String>,
    /// The new arguments or the new text.
    pub(super) updated: Option<Value>,
    /// Whether the standard error stays out of the log.
    pub(super) suppress_output: bool,
}

/// The limits of one answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) time: Duration,
    pub(super) bytes: usize,
}

/// The decision of a handler. The order is from the mildest to the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Decision {
    /// No objection.
    Allow,
    /// A person decides.
    Ask,
    /// It must not happen.
    Block,
}

/// Reads an answer. No text at all is an answer without an objection.
pub(super) fn parse(text: &[u8]) -> Result<Answer, HandlerFault> {
    if text.trim_ascii().is_empty() {
        return Ok(Answer::default());
    }
    let answer: Answer = from_object(text).map_err(|error| match error {
        Some(error) => {
            HandlerFault::BadAnswer { line: error.line(), column: error.column(), what: what_is_wrong(&error) }
        }
        None => HandlerFault::BadAnswer { line: 1, column: 1, what: NO_OBJECT },
    })?;
    // The writer meant to decide something, and it is not known what.
    if answer.reason.is_some() && answer.decision.is_none() {
        return Err(HandlerFault::ReasonAlone);
    }
    Ok(answer)
}

/// Reads a type from a JSON object. Serde would also read it from a list of its fields. The error is `None` if the text does
/// not begin like an object.
pub(super) fn from_object<T: DeserializeOwned>(text: &[u8]) -> Result<T, Option<serde_json::Error>> {
    if !text.trim_ascii_start().starts_with(b"{") {
        return Err(None);
    }
    serde_json::from_slice(text).map_err(Some)
}

/// Reads the answer of a command that has ended.
pub(super) fn of_command(exit_code: Option<i32>, stdout: &[u8], stderr: &[u8]) -> Result<Answer, HandlerFault> {
    match exit_code {
        Some(0) => parse(stdout),
        Some(2) => Ok(blocked(stdout, stderr)),
        Some(code) => Err(HandlerFault::ExitCode(code)),
        None => Err(HandlerFault::Signal),
    }
}

/// Exit code 2 blocks, whatever the answer is. The answer may still have the reason and a message for the model.
fn blocked(stdout: &[u8], stderr: &[u8]) -> Answer {
    // Read as a plain value first, because a wrong field must not hide the reason.
    let fields: Value = serde_json::from_slice(stdout).unwrap_or_default();
    let field = |name: &str| fields.get(name).and_then(Value::as_str).and_then(clean);
    let reason = field("reason").or_else(|| clean(&String::from_utf8_lossy(stderr)));
    let suppress_output = fields.get("suppress_output") == Some(&Value::Bool(true));
    let context_message = field("context_message");
    Answer { decision: Some(Decision::Block), reason, context_message, updated: None, suppress_output }
}

/// Reads an optional text, without control characters and not longer than the limit.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.as_deref().and_then(clean))
}

/// Removes control characters, because the text reaches terminals. Cuts it to the limit. `None` if nothing is left.
pub(super) fn clean(text: &str) -> Option<String> {
    let printable = |letter: &char| !letter.is_control() || *letter == '\n' || *letter == '\t';
    let text: String =
        text.chars().filter(printable).skip_while(|letter| letter.is_whitespace()).take(MAX_TEXT).collect();
    Some(text.trim_end().to_owned()).filter(|text| !text.is_empty())
}

/// Names the mistake without the text of serde, which quotes values.
fn what_is_wrong(error: &serde_json::Error) -> &'static str {
    let text = error.to_string();
    let starts = [
        ("unknown field", "it has an unknown field"),
        ("unknown variant", "the decision is not `allow`, `ask` or `block`"),
        ("duplicate field", "it has a field twice"),
        ("invalid type", "a field has the wrong type"),
        ("trailing characters", "more text follows the JSON"),
    ];
    starts.iter().find(|(start, _)| text.starts_with(start)).map_or(NO_OBJECT, |(_, what)| what)
}
