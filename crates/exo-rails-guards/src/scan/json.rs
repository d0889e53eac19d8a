//! JSON without spaces, written fast.

use std::fmt::Write as _;

use serde_json::Value;

/// Writes a value as `serde_json` does.
pub(super) fn write(value: &Value, json: &mut String) {
    match value {
        Value::String(text) => write_text(text, json),
        Value::Array(values) => {
            json.push('[');
            for (number, value) in values.iter().enumerate() {
                if number > 0 {
                    json.push(',');
                }
                write(value, json);
            }
            json.push(']');
        }
        Value::Object(fields) => {
            json.push('{');
            for (number, (name, value)) in fields.iter().enumerate() {
                if number > 0 {
                    json.push(',');
                }
                write_text(name, json);
                json.push(':');
                write(value, json);
            }
            json.push('}');
        }
        Value::Null => json.push_str("null"),
        Value::Bool(true) => json.push_str("true"),
        Value::Bool(false) => json.push_str("false"),
        Value::Number(number) => {
            // Writing to a text does not fail.
            let _ = write!(json, "{number}");
        }
    }
}

/// Writes a text with quotation marks.
fn write_text(text: &str, json: &mut String) {
    // Without an early end, the compiler looks at many bytes at once.
    let escaped = |byte: &u8| u8::from(*byte < 0x20) | u8::from(*byte == b'"') | u8::from(*byte == b'\\');
    if text.as_bytes().iter().fold(0, |any, byte| any | escaped(byte)) != 0 {
        json.push_str(&Value::from(text).to_string());
        return;
    }
    json.push('"');
    json.push_str(text);
    json.push('"');
}

#[cfg(test)]
mod tests {
    use super::super::readings::is_plain;
    use super::*;
    use serde_json::json;

    #[test]
    fn the_writer_produces_the_same_json_as_serde() {
        let values = [
            json!(null),
            json!([]),
            json!({}),
            json!({ "a": [1, -2.5, true, false, null, "x"], "b": { "c": "d\u{7f}é" }, "": [[], {}] }),
            json!("a\"b"),
            json!({ "a\nb": "c\\d", "e": "\u{1}" }),
            json!(u64::MAX),
        ];
        for value in values {
            let mut json = String::new();
            write(&value, &mut json);
            assert_eq!(json, value.to_string());
            // The redactor asks only whether the JSON is plain, not whether it has escapes.
            assert!(!(json.contains('\\') && is_plain(&json)), "{json}");
        }
    }
}
