//! Contexts that are types of the program.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// A type for the data of a context: a struct that can be written as JSON and read again.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type for a context",
    label = "not a type for a context",
    note = "write `#[derive(Serialize, Deserialize)]` above the struct"
)]
pub trait ContextType: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> ContextType for T {}

/// A context with a Rust type: its first value, and the check that a changed value still has the type.
#[derive(Clone)]
pub(crate) struct TypedContext {
    first: Map<String, Value>,
    check: fn(Value) -> Result<(), String>,
}

impl TypedContext {
    /// Takes the first value. A value that is not an object in JSON has no fields.
    pub(crate) fn new<T: ContextType>(first: &T) -> Self {
        let first = match serde_json::to_value(first) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        Self { first, check: |value| serde_json::from_value::<T>(value).map(drop).map_err(|error| error.to_string()) }
    }

    pub(crate) const fn first(&self) -> &Map<String, Value> {
        &self.first
    }

    /// Checks whether fields have the type.
    pub(super) fn check(&self, fields: Map<String, Value>) -> Result<(), String> {
        (self.check)(Value::Object(fields))
    }

    /// Returns the schema of a field, as far as its first value shows it.
    pub(super) fn schema(&self, field: &str) -> Value {
        match self.first.get(field) {
            Some(Value::Bool(_)) => json!({ "type": "boolean" }),
            Some(Value::Number(_)) => json!({ "type": "number" }),
            Some(Value::String(_)) => json!({ "type": "string" }),
            Some(Value::Array(_)) => json!({ "type": "array" }),
            // A field without a value may be of any type, and an object may be an enum.
            _ => json!({}),
        }
    }
}

impl fmt::Debug for TypedContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedContext").field("first", &self.first).finish_non_exhaustive()
    }
}
