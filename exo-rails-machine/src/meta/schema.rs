//! The part of JSON Schema that tools use: types, required properties, enumerations and items.

use serde_json::Value;

/// Checks a value.
///
/// # Errors
///
/// If the value does not fit. The message says where.
pub(super) fn check(schema: &Value, value: &Value) -> Result<(), String> {
    check_at(schema, value, "the arguments")
}

fn check_at(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(types) = schema.get("type")
        && !names(types).iter().any(|name| is_of(name, value))
    {
        return Err(format!("{at}: {types} is expected"));
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.contains(value)
    {
        return Err(format!("{at}: one of {} is expected", Value::from(allowed.clone())));
    }
    if let Value::Object(fields) = value {
        for name in required(schema) {
            if !fields.contains_key(name) {
                return Err(format!("{at}: `{name}` is missing"));
            }
        }
        for (name, value) in fields {
            match schema.get("properties").and_then(|properties| properties.get(name)) {
                Some(schema) => check_at(schema, value, &format!("`{name}`"))?,
                None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                    return Err(format!("{at}: there is no `{name}`"));
                }
                None => {}
            }
        }
    }
    match (schema.get("items"), value) {
        (Some(items), Value::Array(values)) => values.iter().try_for_each(|value| check_at(items, value, at)),
        _ => Ok(()),
    }
}

/// Checks that what one schema allows surely has what the other one requires, as far as both say.
///
/// # Errors
///
/// If a required property is missing, or has another type.
pub(super) fn feeds(from: &Value, to: &Value) -> Result<(), String> {
    let type_of = |schema: &Value| schema.get("type").and_then(Value::as_str).map(str::to_owned);
    let property = |schema: &Value, name: &str| schema.get("properties").and_then(|all| all.get(name)).cloned();
    let given = type_of(from).unwrap_or_else(|| "object".to_owned());
    if given != "object" {
        // A single value goes to the only argument.
        let Some(name) = only_argument(to) else {
            return Err(format!("a {given} cannot be the arguments, because there is more than one"));
        };
        return match property(to, &name).as_ref().and_then(type_of) {
            Some(expected) if !agrees(&given, &expected) => {
                Err(format!("`{name}` is of the type {expected}, and gets a {given}"))
            }
            _ => Ok(()),
        };
    }
    for name in required(to) {
        let Some(found) = property(from, name) else { return Err(format!("`{name}` is missing")) };
        if let (Some(given), Some(expected)) = (type_of(&found), property(to, name).as_ref().and_then(type_of))
            && !agrees(&given, &expected)
        {
            return Err(format!("`{name}` is of the type {expected}, and gets a {given}"));
        }
    }
    Ok(())
}

fn agrees(given: &str, expected: &str) -> bool {
    given == expected || (given == "integer" && expected == "number")
}

/// Returns the name of the argument, if there is only one.
pub(super) fn only_argument(schema: &Value) -> Option<String> {
    let properties = schema.get("properties").and_then(Value::as_object)?;
    let required = required(schema);
    match (required.as_slice(), properties.len()) {
        ([only], _) => Some((*only).to_owned()),
        ([], 1) => properties.keys().next().cloned(),
        _ => None,
    }
}

fn required(schema: &Value) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn names(types: &Value) -> Vec<&str> {
    match types {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    }
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    }
}
