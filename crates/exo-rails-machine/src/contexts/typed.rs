//! Contexts that are types of the program.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeOwned, Error as _, Visitor, value::Error};
use serde::{Deserializer, Serialize, forward_to_deserialize_any};
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

/// Checks that a type is one for a context.
pub const fn context_type<T: ContextType>() {}

/// A context with a Rust type: its first value, and the check that a changed value still has the type.
#[derive(Clone)]
pub(crate) struct TypedContext {
    first: Map<String, Value>,
    /// The fields that the machine names, and that JSON has under another name or not at all.
    renamed: Vec<String>,
    /// Why the first value has no fields in JSON.
    problem: Option<String>,
    check: fn(Value) -> Result<(), String>,
}

impl TypedContext {
    /// Takes the first value, and the fields that the machine names. A value that is not an object in JSON has no fields.
    pub(crate) fn new<T: ContextType>(first: &T, fields: &[&str]) -> Self {
        let (first, problem) = match serde_json::to_value(first) {
            Ok(Value::Object(fields)) => (fields, None),
            Ok(_) => (Map::new(), Some("is not an object in JSON: use a struct with named fields".to_owned())),
            Err(error) => (Map::new(), Some(format!("cannot be written as JSON: {error}"))),
        };
        let names = FieldNames::default();
        let _ = T::deserialize(&names);
        let is_known = |name: &str| names.0.get().is_none_or(|names| names.contains(&name)) || first.contains_key(name);
        let renamed = fields.iter().filter(|name| !is_known(name)).map(|name| (*name).to_owned()).collect();
        Self {
            first,
            renamed,
            problem,
            check: |value| serde_json::from_value::<T>(value).map(drop).map_err(|error| error.to_string()),
        }
    }

    pub(crate) const fn first(&self) -> &Map<String, Value> {
        &self.first
    }

    /// Returns why the type cannot be that of a context, or what is wrong with the names of its fields.
    pub(crate) fn problems(&self, context: &str) -> Vec<String> {
        if let Some(problem) = &self.problem {
            return vec![format!("the context `{context}` {problem}")];
        }
        let known: Vec<_> = self.first.keys().map(|name| format!("`{name}`")).collect();
        let known = if known.is_empty() { "no fields".to_owned() } else { known.join(", ") };
        let renamed = self.renamed.iter().map(|name| {
            format!(
                "the JSON of the context `{context}` has no field `{name}`, but {known}: remove the attribute of serde that \
                 renames or skips the field"
            )
        });
        renamed.collect()
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

/// Finds the names that the fields of a struct have in JSON. They stay unknown if the type is not a struct, or has flattened fields.
#[derive(Default)]
struct FieldNames(Cell<Option<&'static [&'static str]>>);

impl<'de> Deserializer<'de> for &FieldNames {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("only the names are read"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.set(Some(fields));
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}
