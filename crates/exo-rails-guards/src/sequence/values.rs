//! What rules read in the arguments of a call.

use exo_rails_policy::{Decimal, PointerPattern};
use serde_json::{Number, Value};

use crate::arguments::Search;

/// The longest value that can be compared, in bytes of its JSON.
pub(super) const LONGEST: usize = 1_024;

/// Why the value of a field cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    Missing,
    TooLong,
    NotAnAmount,
}

/// Returns the value of a field. A field that is `null` is missing.
fn value<'v>(arguments: &'v Value, field: &PointerPattern) -> Result<&'v Value, Unusable> {
    let found = field.exact(arguments).into_iter().next();
    found.filter(|value| !value.is_null()).ok_or(Unusable::Missing)
}

/// Returns a text that is the same for equal values, and for no others.
pub(super) fn canonical(arguments: &Value, field: &PointerPattern) -> Result<String, Unusable> {
    let mut text = String::new();
    write_value(value(arguments, field)?, &mut text)?;
    Ok(text)
}

/// Writes JSON without spaces, with the fields in the order of their names, and with equal numbers in one form. Each level
/// writes at least one byte before its values, so a deep value is too long before it fills the stack.
fn write_value(value: &Value, text: &mut String) -> Result<(), Unusable> {
    if text.len() > LONGEST {
        return Err(Unusable::TooLong);
    }
    match value {
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write_value(item, text)?;
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in fields {
                write_text(name, text)?;
                text.push(':');
                write_value(value, text)?;
                text.push(',');
            }
            text.push('}');
        }
        Value::Number(number) => write_number(number, text),
        Value::String(string) => write_text(string, text)?,
        Value::Bool(_) | Value::Null => text.push_str(&value.to_string()),
    }
    if text.len() > LONGEST { Err(Unusable::TooLong) } else { Ok(()) }
}

fn write_text(string: &str, text: &mut String) -> Result<(), Unusable> {
    if string.len() > LONGEST {
        return Err(Unusable::TooLong);
    }
    // The escapes make the end of the text unambiguous.
    text.extend(["\"", &string.escape_debug().to_string(), "\""]);
    Ok(())
}

/// The integers that a float has exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn write_number(number: &Number, text: &mut String) {
    let integer = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() <= EXACT);
    match integer {
        #[expect(clippy::cast_possible_truncation, reason = "the number is an integer of at most 54 bits")]
        Some(float) => text.push_str(&(float as i64).to_string()),
        None => text.push_str(&number.to_string()),
    }
}

/// Returns the amount in a field: a number, or a text with a decimal number.
pub(super) fn amount(arguments: &Value, field: &PointerPattern) -> Result<Decimal, Unusable> {
    let text = match value(arguments, field)? {
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            // `Display` of a float writes no exponent.
            Some(float) => float.to_string(),
            None => number.to_string(),
        },
        Value::String(text) => text.clone(),
        _ => return Err(Unusable::NotAnAmount),
    };
    Decimal::rounded_up(&text).ok_or(Unusable::NotAnAmount)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(value: Value) -> Result<String, Unusable> {
        canonical(&Value::Object([("a".to_owned(), value)].into_iter().collect()), &"a".parse().unwrap())
    }

    #[test]
    fn equal_values_have_the_same_text() {
        for (one, other, equal) in [
            (json!(7), json!(7.0), true),
            (json!(7), json!("7"), false),
            (json!(-0.0), json!(0), true),
            (json!(0.1), json!(0.10), true),
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992_u64), false),
            (json!(u64::MAX), json!(-1), false),
            (json!("a\"b"), json!("a\\\"b"), false),
            (json!("A"), json!("a"), false),
            (json!({ "x": 1, "y": 2.0 }), json!({ "y": 2, "x": 1.0 }), true),
            (json!([1, 2]), json!([2, 1]), false),
            (json!(["a", "b"]), json!(["a\",\"b"]), false),
            (json!(true), json!("true"), false),
            (json!([]), json!({}), false),
        ] {
            assert_eq!(written(one.clone()).unwrap() == written(other.clone()).unwrap(), equal, "{one} and {other}");
        }
    }

    #[test]
    fn missing_and_too_long_values_are_unusable() {
        let mut deep = json!(1);
        for _ in 0..1_100 {
            deep = Value::Array(vec![deep]);
        }
        for (value, unusable) in [
            (Value::Null, Unusable::Missing),
            (json!("x".repeat(1_025)), Unusable::TooLong),
            (json!(vec![1; 600]), Unusable::TooLong),
            (deep, Unusable::TooLong),
        ] {
            assert_eq!(written(value), Err(unusable));
        }
        assert_eq!(canonical(&json!([7]), &"a".parse().unwrap()), Err(Unusable::Missing));
    }

    #[test]
    fn amounts_are_exact_or_rounded_up() {
        for (value, expected) in [
            (json!(5), Some("5")),
            (json!(0.1), Some("0.1")),
            (json!(1e-10), Some("0.000000001")),
            (json!(33.333_333_333_333_336), Some("33.333333334")),
            (json!(0.999_999_999_9), Some("1")),
            (json!("12.50"), Some("12.5")),
            (json!(0), Some("0")),
            (json!(-1), None),
            (json!(-0.5), None),
            (json!("-1"), None),
            (json!("1e3"), None),
            (json!("1,000"), None),
            (json!(1e300), None),
            (json!(true), None),
            (json!([5]), None),
        ] {
            let found = amount(&json!({ "a": value.clone() }), &"a".parse().unwrap());
            assert_eq!(found.map(|amount| amount.to_string()).ok().as_deref(), expected, "{value}");
        }
    }
}
