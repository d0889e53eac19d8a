//! JSON without spaces, written fast.

use std::fmt::Write as _;

use serde_json::Value;

/// Writes a value as `serde_json` does. Returns whether the JSON has escapes.
pub(super) fn write(value: &Value, json: &mut String) -> bool {
    match value {
        Value::String(text) => write_text(text, json),
        Value::Array(values) => {
            json.push('[');
            let mut escapes = false;
            for (number, value) in values.iter().enumerate() {
                if number > 0 {
                    json.push(',');
                }
                escapes |= write(value, json);
            }
            json.push(']');
            escapes
        }
        Value::Object(fields) => {
            json.push('{');
            let mut escapes = false;
            for (number, (name, value)) in fields.iter().enumerate() {
                if number > 0 {
                    json.push(',');
                }
                escapes |= write_text(name, json);
                json.push(':');
                escapes |= write(value, json);
            }
            json.push('}');
            escapes
        }
        Value::Null => push(json, "null"),
        Value::Bool(true) => push(json, "true"),
        Value::Bool(false) => push(json, "false"),
        // Writing to a text does not fail.
        Value::Number(number) => write!(json, "{number}").is_err(),
    }
}

fn push(json: &mut String, word: &str) -> bool {
    json.push_str(word);
    false
}

/// Writes a text with quotation marks. Returns whether it has escapes.
fn write_text(text: &str, json: &mut String) -> bool {
    // Without an early end, the compiler looks at many bytes at once.
    let escaped = |byte: &u8| u8::from(*byte < 0x20) | u8::from(*byte == b'"') | u8::from(*byte == b'\\');
    if text.as_bytes().iter().fold(0, |any, byte| any | escaped(byte)) != 0 {
        json.push_str(&Value::from(text).to_string());
        return true;
    }
    json.push('"');
    json.push_str(text);
    json.push('"');
    false
}

#[cfg(test)]
mod tests {
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
            let escapes = write(&value, &mut json);
            assert_eq!(json, value.to_string());
            assert_eq!(escapes, json.contains('\\'), "{json}");
        }
    }
}
