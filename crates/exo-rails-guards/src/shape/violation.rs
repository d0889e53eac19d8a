//! The reasons why a value does not fit a schema, without the value.

use std::collections::HashSet;

use exo_rails_text::names::{nearest, quoted};
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

/// The number of mistakes that the model reads at once.
const MAX_MISTAKES: usize = 5;

/// The number of names or values of the schema that one mistake lists.
const MAX_LISTED: usize = 12;

/// The number of characters of a value of the schema, such as a pattern, that a text has.
const MAX_SHOWN: usize = 200;

/// Why a value does not fit a schema.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The JSON pointer of the first mistake. `*` stands for a name that the schema does not declare.
    pub(crate) pointer: String,
    /// All mistakes: path, expectation, and the kind of the value.
    pub(crate) text: String,
}

/// Explains the first errors.
pub(crate) fn of<'e>(
    errors: impl Iterator<Item = ValidationError<'e>>,
    schema: &Value,
    names: &HashSet<String>,
) -> Violation {
    let mut mistakes = Vec::new();
    let mut first = None;
    for error in errors.take(MAX_MISTAKES) {
        let pointer = pointer(&error, names);
        let place = if pointer.is_empty() { "/" } else { &pointer };
        let mistake = format!("at `{place}`: {}", explain(&error, schema));
        if !mistakes.contains(&mistake) {
            mistakes.push(mistake);
        }
        first.get_or_insert(pointer);
    }
    Violation { pointer: first.unwrap_or_default(), text: mistakes.join("; ") }
}

/// Returns the path of the value. The model has chosen the names that the schema does not declare, so they are hidden.
fn pointer(error: &ValidationError<'_>, names: &HashSet<String>) -> String {
    let shown = |part: &str| {
        let name = part.replace("~1", "/").replace("~0", "~");
        names.contains(&name) || part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts = error.instance_path().as_str().split('/').skip(1);
    parts.flat_map(|part| ["/", if shown(part) { part } else { "*" }]).collect()
}

fn explain(error: &ValidationError<'_>, schema: &Value) -> String {
    let found = kind_of(error.instance());
    match error.kind() {
        Kind::Type { kind } => format!("expected {}, found {found}", types(kind)),
        Kind::Required { property } => format!("the property `{}` is missing", text_of(property)),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unknown_properties(unexpected, error, schema)
        }
        Kind::Enum { options } => match options.as_array() {
            Some(options) => format!("expected {}, found another {found}", one_of(options)),
            None => format!("found a {found} that is not one of the known values"),
        },
        Kind::Constant { expected_value } => format!("expected {}, found another {found}", shorten(expected_value)),
        Kind::Minimum { limit } => format!("expected at least {limit}, found a smaller number"),
        Kind::ExclusiveMinimum { limit } => format!("expected more than {limit}, found a smaller or equal number"),
        Kind::Maximum { limit } => format!("expected at most {limit}, found a greater number"),
        Kind::ExclusiveMaximum { limit } => format!("expected less than {limit}, found a greater or equal number"),
        Kind::MultipleOf { multiple_of } => format!("expected a multiple of {multiple_of}, found another number"),
        Kind::MinLength { limit } => format!("expected at least {limit} characters, found fewer"),
        Kind::MaxLength { limit } => format!("expected at most {limit} characters, found more"),
        Kind::MinItems { limit } => format!("expected at least {limit} items, found fewer"),
        Kind::MaxItems { limit } => format!("expected at most {limit} items, found more"),
        Kind::AdditionalItems { limit } => format!("expected at most {limit} items, found more"),
        Kind::MinProperties { limit } => format!("expected at least {limit} properties, found fewer"),
        Kind::MaxProperties { limit } => format!("expected at most {limit} properties, found more"),
        Kind::UniqueItems => "expected different items, found two equal ones".to_owned(),
        Kind::Contains => "expected an item that the list does not have".to_owned(),
        Kind::UnevaluatedItems { .. } => "expected no more items, found more".to_owned(),
        Kind::Pattern { pattern } => format!("expected a string that matches `{}`, found another", cut(pattern)),
        Kind::Format { format } => format!("expected a string of the format `{}`, found another", cut(format)),
        Kind::FalseSchema => format!("expected no value, found {found}"),
        Kind::PropertyNames { .. } => "a property has a name that the schema forbids".to_owned(),
        Kind::Not { .. } => format!("found a {found} that the schema forbids"),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => alternatives(context, error, schema),
        Kind::OneOfMultipleValid { .. } => format!("found a {found} that fits several alternatives, expected one"),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            "the pattern of the schema takes too long for this string".to_owned()
        }
        other => format!("found a {found} that breaks the rule `{}` of the schema", other.keyword()),
    }
}

/// Explains the types that the alternatives expect, if the types are the mistake.
fn alternatives(context: &[Vec<ValidationError<'static>>], whole: &ValidationError<'_>, schema: &Value) -> String {
    let found = kind_of(whole.instance());
    let of_type = |errors: &Vec<ValidationError<'static>>| match errors.as_slice() {
        [error] if error.instance_path() == whole.instance_path() => match error.kind() {
            Kind::Type { kind } => Some(types(kind)),
            _ => None,
        },
        _ => None,
    };
    if let Some(types) = context.iter().map(of_type).collect::<Option<Vec<_>>>() {
        return format!("expected {}, found {found}", types.join(" or "));
    }
    let nearest = context.iter().flatten().find(|error| !matches!(error.kind(), Kind::Type { .. }));
    let hint = nearest.map(|error| format!("; for one of them: {}", explain(error, schema)));
    format!("found {found} that fits none of the {} alternatives{}", context.len(), hint.unwrap_or_default())
}

/// Names the known properties, and not the unknown ones, whose names the model has chosen.
fn unknown_properties(unexpected: &[String], error: &ValidationError<'_>, schema: &Value) -> String {
    let above = error.schema_path().as_str().rsplit_once('/').map_or("", |(above, _)| above);
    let known = schema.pointer(above).and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let known: Vec<&str> = known.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let similar = unexpected.iter().find_map(|name| nearest(name, &known));
    let count = match unexpected.len() {
        1 => "one property is not known".to_owned(),
        more => format!("{more} properties are not known"),
    };
    match (similar, known.len()) {
        (Some(similar), _) => format!("{count}: did you mean `{similar}`?"),
        (None, 0) => format!("{count}: expected no properties"),
        (None, 1..=MAX_LISTED) => format!("{count}: the known properties are {}", quoted(&known)),
        (None, _) => format!("{count}: the first known properties are {}", quoted(&known[..MAX_LISTED])),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(single) => single.to_string(),
        TypeKind::Multiple(several) => several.iter().map(|single| single.to_string()).collect::<Vec<_>>().join(" or "),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn one_of(options: &[Value]) -> String {
    let shown = options.iter().take(MAX_LISTED).map(shorten).collect::<Vec<_>>().join(", ");
    match options.len() {
        0 | 1 => shown,
        2..=MAX_LISTED => format!("one of {shown}"),
        all => format!("one of {shown} and {} more", all - MAX_LISTED),
    }
}

/// Shows a value of the schema.
fn shorten(value: &Value) -> String {
    format!("`{}`", cut(&value.to_string()))
}

fn text_of(value: &Value) -> String {
    cut(&value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
