//! The types of fields: JSON values that fit, and JSON Schema.

use exo_rails_dygram::{Type, TypeKind};
use serde_json::{Map, Value, json};

/// Returns whether a value has the given type. A type with an unknown name accepts any value.
///
/// ```
/// use exo_rails_machine::fits;
/// use serde_json::json;
///
/// let file = "Context job { tags<Array<string>>; level<\"low\" | \"high\">; }";
/// let machine = exo_rails_dygram::read("flow.dygram", file).machine;
/// let types: Vec<_> = machine.nodes()[0].attributes.iter().filter_map(|field| field.ty.as_ref()).collect();
/// assert!(fits(types[0], &json!(["a"])) && !fits(types[0], &json!([1])));
/// assert!(fits(types[1], &json!("low")) && !fits(types[1], &json!("middle")));
/// ```
#[must_use]
pub fn fits(ty: &Type, value: &Value) -> bool {
    if value.is_null() {
        return ty.is_optional || matches!(&ty.kind, TypeKind::Named { name, .. } if sort_of(name) == Sort::Any);
    }
    match &ty.kind {
        TypeKind::Literals(texts) => value.as_str().is_some_and(|text| texts.iter().any(|literal| literal == text)),
        TypeKind::Named { name, arguments } => match sort_of(name) {
            Sort::Text => value.is_string(),
            Sort::Number => value.is_number(),
            Sort::Integer => is_integer(value),
            Sort::Bool => value.is_boolean(),
            Sort::List => value.as_array().is_some_and(|values| fit_all(arguments.first(), values)),
            Sort::Object => value.is_object(),
            Sort::Any => true,
        },
    }
}

fn fit_all(ty: Option<&Type>, values: &[Value]) -> bool {
    ty.is_none_or(|ty| values.iter().all(|value| fits(ty, value)))
}

fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Text,
    Number,
    Integer,
    Bool,
    List,
    Object,
    Any,
}

fn sort_of(name: &str) -> Sort {
    match &*name.to_ascii_lowercase() {
        "string" => Sort::Text,
        "number" | "float" | "double" | "decimal" => Sort::Number,
        "integer" | "int" => Sort::Integer,
        "boolean" | "bool" => Sort::Bool,
        "array" | "list" => Sort::List,
        "object" => Sort::Object,
        _ => Sort::Any,
    }
}

/// Returns the JSON Schema of a type.
#[must_use]
pub fn schema_of(ty: Option<&Type>) -> Value {
    let Some(ty) = ty else { return json!({}) };
    match &ty.kind {
        TypeKind::Literals(texts) => json!({ "type": "string", "enum": texts }),
        TypeKind::Named { name, arguments } => match sort_of(name) {
            Sort::Text => json!({ "type": "string" }),
            Sort::Number => json!({ "type": "number" }),
            Sort::Integer => json!({ "type": "integer" }),
            Sort::Bool => json!({ "type": "boolean" }),
            Sort::List if arguments.is_empty() => json!({ "type": "array" }),
            Sort::List => json!({ "type": "array", "items": schema_of(arguments.first()) }),
            Sort::Object => json!({ "type": "object" }),
            Sort::Any => json!({}),
        },
    }
}

/// How deep a value of an agent may be. Readers of JSON have a limit of 128, and a saved state has values inside of others.
pub(crate) const MAX_DEPTH: usize = 64;

/// Returns whether a value has at most this many levels of arrays and objects.
pub(crate) fn is_flat(value: &Value, levels: usize) -> bool {
    let is_flat = |inner: &Value| levels > 0 && is_flat(inner, levels - 1);
    match value {
        Value::Array(values) => levels > 0 && values.iter().all(is_flat),
        Value::Object(fields) => levels > 0 && fields.values().all(is_flat),
        _ => true,
    }
}

/// Returns what a value is, for messages.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Returns a value of a file as JSON. Files write arrays, objects, numbers and booleans also as texts, such as `"[]"`. The type
/// decides whether such a text is meant.
pub(crate) fn json_of(value: &exo_rails_dygram::Value, ty: Option<&Type>) -> Value {
    use exo_rails_dygram::Value as Dy;
    let json = match value {
        Dy::Text(text) | Dy::Name(text) | Dy::External(text) => Value::String(text.clone()),
        Dy::Number(number) => number_of(number),
        Dy::Bool(value) => Value::Bool(*value),
        Dy::Null => Value::Null,
        Dy::List(values) => values.iter().map(|value| json_of(value, None)).collect(),
        Dy::Object(attributes) => {
            let field = |field: &exo_rails_dygram::Attribute| {
                let value = field.value.as_ref().map_or(Value::Null, |value| json_of(value, field.ty.as_ref()));
                (field.name.clone(), value)
            };
            Value::Object(attributes.iter().map(field).collect::<Map<_, _>>())
        }
    };
    match (ty, &json) {
        (Some(ty), Value::String(text)) if !fits(ty, &json) => {
            serde_json::from_str(text).ok().filter(|read| fits(ty, read)).unwrap_or(json)
        }
        _ => json,
    }
}

fn number_of(number: &exo_rails_dygram::Number) -> Value {
    let whole = number.as_i64().map(Value::from);
    whole.or_else(|| serde_json::Number::from_f64(number.as_f64()).map(Value::Number)).unwrap_or(Value::Null)
}
