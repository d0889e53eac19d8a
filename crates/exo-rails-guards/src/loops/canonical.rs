//! Hashes of calls and results. Equal calls have the same hash, and different calls practically never have.

use std::hash::{DefaultHasher, Hash, Hasher};

use exo_rails::{ToolCallInputs, ToolOutput};
use serde_json::{Map, Number, Value};

use crate::arguments::nested;

/// Returns the hash of a tool call. The order of keys and the form of numbers do not matter.
pub(super) fn call(call: &ToolCallInputs) -> u64 {
    let mut hasher = DefaultHasher::new();
    call.tool_name.hash(&mut hasher);
    match &call.arguments {
        // Another form of no arguments.
        Value::Null => value(&Value::Object(Map::new()), &mut hasher),
        // Arguments as a text with JSON.
        Value::String(text) => match nested(text) {
            Some(arguments) => value(&arguments, &mut hasher),
            None => value(&call.arguments, &mut hasher),
        },
        arguments => value(arguments, &mut hasher),
    }
    hasher.finish()
}

/// Returns the hash of a result. In the text of an error, words with digits do not count.
pub(super) fn result(output: &ToolOutput) -> u64 {
    let mut hasher = DefaultHasher::new();
    output.is_error.hash(&mut hasher);
    if output.is_error {
        error(output.content.as_bytes(), &mut hasher);
    } else {
        output.content.hash(&mut hasher);
    }
    hasher.finish()
}

fn error(text: &[u8], hasher: &mut DefaultHasher) {
    for word in text.split_inclusive(|byte| !byte.is_ascii_alphanumeric()) {
        let (letters, end) = match word {
            [letters @ .., end] if !end.is_ascii_alphanumeric() => (letters, *end),
            letters => (letters, b' '),
        };
        if letters.iter().any(u8::is_ascii_digit) {
            hasher.write_u8(b'0');
        } else {
            hasher.write(letters);
        }
        hasher.write_u8(end);
    }
}

fn value(value_of: &Value, hasher: &mut DefaultHasher) {
    std::mem::discriminant(value_of).hash(hasher);
    match value_of {
        Value::Null => {}
        Value::Bool(bool) => bool.hash(hasher),
        Value::Number(of) => number(of, hasher),
        Value::String(text) => text.hash(hasher),
        Value::Array(items) => {
            items.len().hash(hasher);
            for item in items {
                value(item, hasher);
            }
        }
        Value::Object(fields) => object(fields, hasher),
    }
}

/// Adds the hashes of the fields, so that their order does not matter.
fn object(fields: &Map<String, Value>, hasher: &mut DefaultHasher) {
    let field = |(name, of): (&String, &Value)| {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        value(of, &mut hasher);
        hasher.finish()
    };
    fields.len().hash(hasher);
    fields.iter().map(field).fold(0, u64::wrapping_add).hash(hasher);
}

fn number(number: &Number, hasher: &mut DefaultHasher) {
    let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    let float = number.as_f64().unwrap_or(f64::NAN);
    match whole {
        Some(whole) => whole.hash(hasher),
        #[expect(clippy::cast_possible_truncation, reason = "the number is whole and in the range")]
        None if float.fract() == 0.0 && float.abs() < 1e38 => (float as i128).hash(hasher),
        None => float.to_bits().hash(hasher),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use serde_json::json;

    use super::*;

    fn number_of(arguments: &str) -> u64 {
        call(&ToolCallInputs::new("t").with_arguments(serde_json::from_str::<Value>(arguments).unwrap()))
    }

    #[test]
    fn arguments_are_equal_whatever_the_form_of_their_json() {
        for (one, other, equal) in [
            (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, true),
            (r#"{"a":{"x":[1,{"p":1,"q":2}]}}"#, r#"{"a":{"x":[1.0,{"q":2e0,"p":1}]}}"#, true),
            (r#"{"a":1}"#, r#"{"a":1.0}"#, true),
            (r#"{"a":0}"#, r#"{"a":-0.0}"#, true),
            (r#"{"a":1e3}"#, r#"{"a":1000}"#, true),
            (r#"{"a":10000000000000000000}"#, r#"{"a":1e19}"#, true),
            ("{}", "null", true),
            (r#"{"a":1}"#, r#""{\"a\": 1}""#, true),
            (r#"{"a":1.5}"#, r#"{"a":1}"#, false),
            (r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992}"#, false),
            (r#"{"a":1,"b":2}"#, r#"{"a":2,"b":1}"#, false),
            (r#"{"a":"1"}"#, r#"{"a":1}"#, false),
            (r#"{"a":[1,2]}"#, r#"{"a":[2,1]}"#, false),
            (r#"{"a":null}"#, "{}", false),
            (r#"{"a":[[],1]}"#, r#"{"a":[[1]]}"#, false),
            (r#"{"a":"x"}"#, r#"{"a":"x "}"#, false),
            (r#"{"a":{}}"#, r#"{"a":[]}"#, false),
            (r#"{"a":1,"b":1}"#, r#"{"a":1}"#, false),
        ] {
            assert_eq!(number_of(one) == number_of(other), equal, "{one} and {other}");
        }
        assert_ne!(call(&ToolCallInputs::new("a")), call(&ToolCallInputs::new("b")));
        let text = ToolCallInputs::new("t").with_arguments(json!("not JSON"));
        assert_ne!(call(&text), number_of("{}"));
    }

    #[test]
    fn errors_that_differ_only_in_numbers_are_equal() {
        let error = |text: &str| result(&ToolOutput::error(text));
        assert_eq!(error("request 3f2a failed at 12:30:01"), error("request 77c0 failed at 12:31:17"));
        assert_ne!(error("no such file"), error("permission denied"));
        assert_ne!(error("a b"), error("ab"));
        let text = |text: &str| result(&ToolOutput::text(text));
        assert_ne!(text("12 % done"), text("13 % done"));
        assert_ne!(text("failed"), error("failed"));
    }
}
