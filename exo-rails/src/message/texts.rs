//! All texts in JSON, for rails that redact.

use exo_rails_text::codes::decoded;
use serde_json::{Map, Value};

/// Calls `change` with each text in these fields.
pub(super) fn of_fields(fields: &mut Map<String, Value>, change: &mut impl FnMut(&mut String)) {
    fields.values_mut().for_each(|value| of_texts(value, change));
}

fn of_texts(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) => change(text),
            Value::Array(values) => left.extend(values),
            Value::Object(fields) => left.extend(fields.values_mut()),
            _ => {}
        }
    }
}

/// Calls `change` with each number in this value. A number that changes becomes a text, so that the value stays JSON.
fn of_numbers(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::Number(number) => {
                let before = number.to_string();
                let mut after = before.clone();
                change(&mut after);
                if after != before {
                    *value = Value::String(after);
                }
            }
            Value::Array(values) => left.extend(values),
            Value::Object(fields) => left.extend(fields.values_mut()),
            _ => {}
        }
    }
}

/// Calls `change` with each text and each number in this value, and then with its JSON, which has the names too.
pub(super) fn of_value(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    of_texts(value, change);
    of_numbers(value, change);
    if !matches!(value, Value::String(_)) {
        let before = value.to_string();
        let mut after = before.clone();
        change(&mut after);
        if after != before {
            // The result may not be JSON. Then it becomes a text, which no tool reads as arguments.
            *value = serde_json::from_str(&after).unwrap_or(Value::String(after));
        }
    }
}

/// Calls `change` with what is in JSON as text. Text that is not JSON changes as it is, and without codes.
pub(super) fn of_json(json: &mut String, change: &mut impl FnMut(&mut String)) {
    let Ok(mut value) = serde_json::from_str::<Value>(json) else {
        change(json);
        return of_broken_json(json, change);
    };
    let before = value.clone();
    of_value(&mut value, change);
    let is_changed = value != before || json.contains('\\');
    if !is_changed {
        // A field that appears twice has only one value, and the other one may have hidden text.
        change(json);
    }
    // Text with escapes is written again, because the escapes may be in the value that the field does not have.
    if is_changed {
        *json = match value {
            Value::String(text) if !matches!(before, Value::String(_)) => text,
            value => value.to_string(),
        };
    }
}

/// How often codes in codes are read.
const DEPTH: usize = 6;

/// Calls `change` with text that has codes, such as escapes, and is not JSON.
fn of_broken_json(text: &mut String, change: &mut impl FnMut(&mut String)) {
    let mut source = None;
    for _ in 0..DEPTH {
        let Some(reading) = decoded(source.as_deref().unwrap_or(text), true) else { return };
        let reading = reading.into_text();
        let mut changed = reading.clone();
        change(&mut changed);
        if changed != reading {
            *text = changed;
            return;
        }
        source = Some(reading);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(json: &str) -> String {
        let mut json = json.to_owned();
        of_json(&mut json, &mut |text| *text = text.replace("sk-1", "[key]").replace("4711", "[key]"));
        json
    }

    #[test]
    fn a_text_is_found_in_every_json_notation() {
        let cases = [
            (r#"{"a":"sk-1"}"#, r#"{"a":"[key]"}"#),
            (r#"{"a":["\u0073k-1"]}"#, r#"{"a":["[key]"]}"#),
            (r#"{"sk\u002d1":1}"#, r#"{"[key]":1}"#),
            (r#""\u0073k-1""#, r#""[key]""#),
            // If two fields have one name, a tool reads the last.
            (r#"{"a":"\u0073k-1","a":"x"}"#, r#"{"a":"x"}"#),
            // Text that is not JSON.
            ("\\u0073k-1", "[key]"),
            (r#"{"a":"sk\u002D1"}}"#, r#"{"a":"[key]"}}"#),
            (r"\\u0073k-1 \u00 \", r"[key] u00 \"),
            // Text without a key stays unchanged.
            (r#"{ "a" : 1.0 }"#, r#"{ "a" : 1.0 }"#),
            (r#"{"a":"sk-1","a":"x"}"#, r#"{"a":"[key]","a":"x"}"#),
            // A number becomes a text.
            (r#"{"a":[4711,-4711.5,471],"b":"x"}"#, r#"{"a":["[key]","-[key].5",471],"b":"x"}"#),
            ("4711", "[key]"),
            ("", ""),
        ];
        for (json, expected) in cases {
            assert_eq!(hidden(json), expected, "{json}");
        }
    }

    #[test]
    fn a_change_that_breaks_the_json_turns_it_into_a_text() {
        let mut value = serde_json::json!({ "n": [47, 11] });
        of_value(&mut value, &mut |text| *text = text.replace("47,11", "[numbers"));
        assert_eq!(value, r#"{"n":[[numbers]}"#);
    }

    #[test]
    fn a_number_that_changes_becomes_a_text() {
        let mut value = serde_json::json!({ "n": 4711, "of": [{ "4711": 4711.0 }] });
        of_value(&mut value, &mut |text| *text = text.replace("4711", "[number]"));
        assert_eq!(value, serde_json::json!({ "n": "[number]", "of": [{ "[number]": "[number].0" }] }));
    }
}
