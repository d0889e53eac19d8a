//! JSON as values of CEL.

use std::collections::HashMap;

use cel::common::types::{CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt};
use cel::common::value::Val;
use serde_json::{Number, Value};

/// Returns a value of CEL that borrows the texts of the JSON.
pub(super) fn cel_of<'v>(value: &'v Value) -> Box<dyn Val + 'v> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(value) => Box::new(CelBool::from(*value)),
        Value::Number(number) => number_of(number),
        Value::String(text) => Box::new(CelString::from(text.as_str())),
        Value::Array(values) => Box::new(CelList::from(values.iter().map(cel_of).collect::<Vec<_>>())),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (CelMapKey::from(name.as_str()), cel_of(value)));
            Box::new(CelMap::from(fields.collect::<HashMap<_, _>>()))
        }
    }
}

fn number_of(number: &Number) -> Box<dyn Val> {
    match (number.as_i64(), number.as_u64()) {
        (Some(integer), _) => Box::new(CelInt::from(integer)),
        (None, Some(integer)) => Box::new(CelUInt::from(integer)),
        (None, None) => Box::new(CelDouble::from(number.as_f64().unwrap_or(f64::NAN))),
    }
}

/// Returns how many values a value has, with itself.
pub(super) fn count(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(count).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(count).sum::<usize>(),
        _ => 1,
    }
}
