//! Objects in JSON.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Reads an object. A struct could also be read from a list, which has no names.
pub(crate) fn from_object<T: DeserializeOwned>(value: Option<&Value>) -> serde_json::Result<T> {
    let fields: Map<String, Value> = serde_json::from_value(value.cloned().unwrap_or_default())?;
    serde_json::from_value(Value::Object(fields))
}
