//! JSON Schemas of tools that agents construct, and of the steps of compositions.
//!
//! Agents write them, so they have no references, which can describe endless and exponential checks.

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
    ensure_no_references(schema)?;
    compiled(schema).map_err(|error| format!("`input_schema` is not a JSON Schema: {error}"))?;
    Ok(())
}

/// References can describe endless and exponential checks, so agents write schemas without them.
fn ensure_no_references(schema: &Value) -> Result<(), String> {
    let inside: Vec<&Value> = match schema {
        Value::Object(fields) => {
            if let Some(name) =
                ["$ref", "$dynamicRef", "$recursiveRef"].into_iter().find(|name| fields.contains_key(*name))
            {
                return Err(format!("`input_schema`: write the schema without `{name}`"));
            }
            fields.values().collect()
        }
        Value::Array(values) => values.iter().collect(),
        _ => Vec::new(),
    };
    inside.into_iter().try_for_each(ensure_no_references)
}

/// Checks a value.
///
/// # Errors
///
/// If the value does not fit. The message says where.
pub(super) fn check(schema: &Value, value: &Value) -> Result<(), String> {
    let validator = compiled(schema)?;
    let Some(error) = validator.iter_errors(value).next() else { return Ok(()) };
    let at = error.instance_path().to_string();
    let at = if at.is_empty() { "the arguments".to_owned() } else { format!("`{}`", at.trim_start_matches('/')) };
    Err(format!("{at}: {error}"))
}

/// Compiles a schema. It may refer to itself, but to no file and no address. All patterns take linear time.
fn compiled(schema: &Value) -> Result<jsonschema::Validator, String> {
    let options = jsonschema::options().offline().with_pattern_options(jsonschema::PatternOptions::regex());
    options.build(schema).map_err(|error| error.to_string())
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
