//! JSON with one text for each value.

use serde_json::Value;

/// Returns JSON with sorted names and without spaces, so that equal values have equal texts. A hash of the text is a hash of the value,
/// whether or not the program keeps the order in which fields were written.
///
/// ```
/// use exo_rails_text::json::canonical;
/// use serde_json::json;
///
/// assert_eq!(canonical(&json!({ "b": [1, null], "a": 1.5 })), r#"{"a":1.5,"b":[1,null]}"#);
/// ```
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<_> = fields.iter().collect();
            names.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (place, (name, field)) in names.into_iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write(field, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn canonical_json_has_sorted_keys() {
        let value = json!({ "b": [1, { "z": null, "a\"": "ü" }], "a": 1.5 });
        assert_eq!(canonical(&value), r#"{"a":1.5,"b":[1,{"a\"":"ü","z":null}]}"#);
    }
}
