//! JSON as values of CEL.

use std::collections::HashMap;
use std::sync::Arc;

use cel::objects::Key;
use serde_json::Value;

pub(super) fn cel_of(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(value) => cel::Value::Bool(*value),
        Value::Number(number) => number_of(number),
        Value::String(text) => cel::Value::String(Arc::new(text.clone())),
        Value::Array(values) => cel::Value::List(Arc::new(values.iter().map(cel_of).collect())),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (Key::from(name.clone()), cel_of(value)));
            cel::Value::Map(fields.collect::<HashMap<_, _>>().into())
        }
    }
}

fn number_of(number: &serde_json::Number) -> cel::Value {
    let integer = number.as_i64().map(cel::Value::Int).or_else(|| number.as_u64().map(cel::Value::UInt));
    integer.unwrap_or_else(|| cel::Value::Float(number.as_f64().unwrap_or(f64::NAN)))
}

/// Returns how many values a value has, with itself.
pub(super) fn count(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(count).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(count).sum::<usize>(),
        _ => 1,
    }
}
