//! JSON that all protocols have in common.

use exo_rails::{ModelCallInputs, OperationError, OperationErrorKind};
use serde_json::{Map, Value};

use super::failure;

/// Options of a request that are not sent. They would replace the fields that the rails have seen, or change how the
/// answer is sent.
const NO_OPTIONS: [&str; 4] = ["model", "messages", "tools", "stream"];

/// The field of a message that only the messages protocol uses: see `anthropic::BLOCKS`.
pub(crate) const BLOCKS: &str = "anthropic_blocks";

/// Returns the options of a request.
pub(crate) fn options(request: &ModelCallInputs) -> Map<String, Value> {
    let options = request.extra.iter().filter(|(name, _)| !NO_OPTIONS.contains(&name.as_str()));
    options.map(|(name, value)| (name.clone(), value.clone())).collect()
}

pub(crate) fn drop_nulls(fields: &mut Map<String, Value>) {
    fields.retain(|_, value| !value.is_null());
}

/// Returns the error in an event with the name `error`.
pub(crate) fn error_event(data: &[u8]) -> OperationError {
    let told = serde_json::from_slice::<Value>(data);
    let told = told.unwrap_or_else(|_| String::from_utf8_lossy(data).into());
    failure::told(told.get("error").unwrap_or(&told))
}

/// Returns the error of an answer that cannot be read. The error of the parser is not its source: it may quote the
/// answer, and only messages are searched for secrets.
pub(crate) fn unreadable(error: &serde_json::Error) -> OperationError {
    if error.is_eof() {
        return OperationError::new(OperationErrorKind::Unavailable, format!("the answer breaks off: {error}"));
    }
    OperationError::new(OperationErrorKind::InvalidResponse, format!("the answer cannot be read: {error}"))
}
