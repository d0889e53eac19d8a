//! JSON Schemas of tools that agents construct, and of the steps of compositions.
//!
//! With the feature `schema`, all of JSON Schema is checked. Without it, schemas have types, required properties, enumerations and
//! items, and others are refused.

use serde_json::Value;

/// Checks that the schema of an agent is one, and that everything in it is checked later.
///
/// # Errors
///
/// If the schema is wrong, or has a keyword that is not for agents. The message says what to write.
pub(super) fn ensure_supported(schema: &Value) -> Result<(), String> {
    if !schema.is_object() {
        return Err("`input_schema` is an object: a JSON Schema".to_owned());
    }
    ensure_supported_at(schema, "`input_schema`")?;
    #[cfg(feature = "schema")]
    compiled(schema).map_err(|error| format!("`input_schema` is not a JSON Schema: {error}"))?;
    Ok(())
}

/// References can describe endless and exponential checks, so agents write schemas without them.
#[cfg(feature = "schema")]
fn ensure_supported_at(schema: &Value, at: &str) -> Result<(), String> {
    let inside: Vec<&Value> = match schema {
        Value::Object(fields) => {
            if let Some(name) =
                ["$ref", "$dynamicRef", "$recursiveRef"].into_iter().find(|name| fields.contains_key(*name))
            {
                return Err(format!("{at}: write the schema without `{name}`"));
            }
            fields.values().collect()
        }
        Value::Array(values) => values.iter().collect(),
        _ => Vec::new(),
    };
    inside.into_iter().try_for_each(|value| ensure_supported_at(value, at))
}

#[cfg(not(feature = "schema"))]
fn ensure_supported_at(schema: &Value, at: &str) -> Result<(), String> {
    const CHECKED: [&str; 6] = ["type", "enum", "required", "properties", "additionalProperties", "items"];
    const DESCRIPTIONS: [&str; 11] = [
        "$schema",
        "$id",
        "$comment",
        "title",
        "description",
        "default",
        "examples",
        "format",
        "deprecated",
        "readOnly",
        "writeOnly",
    ];
    const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];
    let Some(fields) = schema.as_object() else { return Err(format!("{at}: a schema is an object")) };
    if let Some(name) = fields.keys().find(|name| !CHECKED.iter().chain(&DESCRIPTIONS).any(|known| known == name)) {
        return Err(format!("{at}: `{name}` is not supported: write it in a `description`"));
    }
    let is_of_texts = |value: &Value| value.as_array().is_some_and(|texts| texts.iter().all(Value::is_string));
    let is_right = fields.iter().all(|(name, value)| match name.as_str() {
        "type" => (value.is_string() || is_of_texts(value)) && names(value).iter().all(|name| TYPES.contains(name)),
        "required" => is_of_texts(value),
        "enum" => value.is_array(),
        "properties" => value.is_object(),
        "additionalProperties" => value.is_boolean(),
        _ => true,
    });
    if !is_right {
        return Err(format!("{at}: one of {} has a wrong value", CHECKED.join(", ")));
    }
    let inner = fields.get("properties").and_then(Value::as_object).into_iter().flatten();
    inner.into_iter().try_for_each(|(name, schema)| ensure_supported_at(schema, &format!("`{name}`")))?;
    fields.get("items").map_or(Ok(()), |schema| ensure_supported_at(schema, &format!("the items of {at}")))
}

/// Checks a value.
///
/// # Errors
///
/// If the value does not fit. The message says where.
#[cfg(feature = "schema")]
pub(super) fn check(schema: &Value, value: &Value) -> Result<(), String> {
    let validator = compiled(schema)?;
    let Some(error) = validator.iter_errors(value).next() else { return Ok(()) };
    let at = error.instance_path().to_string();
    let at = if at.is_empty() { "the arguments".to_owned() } else { format!("`{}`", at.trim_start_matches('/')) };
    Err(format!("{at}: {error}"))
}

/// Compiles a schema. It may refer to itself, but to no file and no address. All patterns take linear time.
#[cfg(feature = "schema")]
fn compiled(schema: &Value) -> Result<jsonschema::Validator, String> {
    let options = jsonschema::options().offline().with_pattern_options(jsonschema::PatternOptions::regex());
    options.build(schema).map_err(|error| error.to_string())
}

/// Checks a value.
///
/// # Errors
///
/// If the value does not fit. The message says where.
#[cfg(not(feature = "schema"))]
pub(super) fn check(schema: &Value, value: &Value) -> Result<(), String> {
    check_at(schema, value, "the arguments")
}

#[cfg(not(feature = "schema"))]
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
                Err(format!("`{name}` needs the type {expected}, but gets a {given}"))
            }
            _ => Ok(()),
        };
    }
    for name in required(to) {
        let Some(found) = property(from, name) else { return Err(format!("`{name}` is missing")) };
        if let (Some(given), Some(expected)) = (type_of(&found), property(to, name).as_ref().and_then(type_of))
            && !agrees(&given, &expected)
        {
            return Err(format!("`{name}` needs the type {expected}, but gets a {given}"));
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

#[cfg(not(feature = "schema"))]
fn names(types: &Value) -> Vec<&str> {
    match types {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    }
}

#[cfg(not(feature = "schema"))]
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
