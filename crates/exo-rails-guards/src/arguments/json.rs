//! Texts that contain JSON, as guards see them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Texts in texts beyond this depth are not read.
pub(super) const DEPTH: usize = 4;

/// Reads a text that contains JSON. If a name appears twice in an object, the value is a list of both values, because
/// programs differ in which they use.
pub(crate) fn nested(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if !text.starts_with(['{', '[', '"']) {
        return None;
    }
    serde_json::from_str::<AllValues>(text).ok().map(|AllValues(value)| value)
}

struct AllValues(Value);

impl<'de> Deserialize<'de> for AllValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyValue;

        impl<'de> Visitor<'de> for AnyValue {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }

            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(value.into())
            }

            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(value.into())
            }

            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(value.into())
            }

            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(Number::from_f64(value).into())
            }

            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(value.into())
            }

            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
                let mut all = Vec::new();
                while let Some(AllValues(item)) = items.next_element()? {
                    all.push(item);
                }
                Ok(all.into())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
                let mut all = Map::new();
                while let Some((name, AllValues(value))) = fields.next_entry::<String, _>()? {
                    match all.remove(&name) {
                        Some(before) => all.insert(name, Value::Array(vec![before, value])),
                        None => all.insert(name, value),
                    };
                }
                Ok(all.into())
            }
        }

        deserializer.deserialize_any(AnyValue).map(AllValues)
    }
}

/// Calls `visit` with each value in a value that is neither a list nor an object, also in texts that contain JSON.
/// `visit` receives the name of the nearest field around the value.
pub(crate) fn each_leaf<'v>(value: &'v Value, visit: &mut dyn FnMut(Option<&str>, Cow<'v, Value>)) {
    leaves(Cow::Borrowed(value), None, 0, visit);
}

fn leaves<'v>(
    value: Cow<'v, Value>,
    name: Option<&str>,
    depth: usize,
    visit: &mut dyn FnMut(Option<&str>, Cow<'v, Value>),
) {
    match value {
        Cow::Borrowed(Value::Object(fields)) => {
            for (name, value) in fields {
                leaves(Cow::Borrowed(value), Some(name), depth, visit);
            }
        }
        Cow::Borrowed(Value::Array(items)) => {
            for item in items {
                leaves(Cow::Borrowed(item), name, depth, visit);
            }
        }
        Cow::Owned(Value::Object(fields)) => {
            for (name, value) in fields {
                leaves(Cow::Owned(value), Some(&name), depth, visit);
            }
        }
        Cow::Owned(Value::Array(items)) => {
            for item in items {
                leaves(Cow::Owned(item), name, depth, visit);
            }
        }
        leaf => {
            let inner = leaf.as_str().filter(|_| depth < DEPTH).and_then(nested);
            visit(name, leaf);
            if let Some(inner) = inner {
                leaves(Cow::Owned(inner), name, depth + 1, visit);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn leaves_are_found_in_texts() {
        let root = json!({ "a": ["x", 1], "b": "{\"c\": [\"y\"]}" });
        let mut found = Vec::new();
        each_leaf(&root, &mut |name, value| found.push((name.map(str::to_owned), value.to_string())));
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_deref().unwrap()).collect();
        assert_eq!(names, ["a", "a", "b", "c"]);
        assert_eq!(found[3].1, "\"y\"");
    }
}
