//! Schemas that are certainly right.
//!
//! Compiling the first JSON Schema of a process takes about a millisecond, because the schema of schemas is compiled before it. A guard
//! must be made in microseconds, and must report a wrong schema when it is made. So this module recognises schemas that the compiler
//! accepts for certain, and these are compiled when they are needed. Every other schema is compiled at once, and the compiler reports
//! its mistakes. A right schema may be missed here: this only costs time.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// The dialect of schemas that do not name another one.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Schemas that are nested deeper are not plain.
const MOST_NESTED: usize = 32;

/// Returns whether the compiler accepts this schema for certain. Takes time in proportion to the size of the schema.
pub(super) fn is_plain(schema: &Value) -> bool {
    let Value::Object(fields) = schema else { return schema.is_boolean() };
    is_schema(fields, fields, 0)
}

fn is_schema(fields: &Map<String, Value>, root: &Map<String, Value>, depth: usize) -> bool {
    let inner = |value: &Value| match value {
        Value::Object(fields) => depth < MOST_NESTED && is_schema(fields, root, depth + 1),
        other => other.is_boolean(),
    };
    let is_type = |name: &str| TYPES.contains(&name);
    fields.iter().all(|(keyword, value)| match keyword.as_str() {
        "$schema" => depth == 0 && value.as_str() == Some(DIALECT),
        "$ref" => value.as_str().is_some_and(|target| is_known(target, root)),
        "$comment" | "description" | "format" | "title" => value.is_string(),
        "const" | "default" => true,
        "enum" | "examples" => value.is_array(),
        "deprecated" | "readOnly" | "uniqueItems" | "writeOnly" => value.is_boolean(),
        "type" => value.as_str().map_or_else(|| is_set(value, is_type, 1), is_type),
        "required" => is_set(value, |_| true, 0),
        "exclusiveMaximum" | "exclusiveMinimum" | "maximum" | "minimum" => value.is_number(),
        "maxItems" | "maxLength" | "maxProperties" | "minItems" | "minLength" | "minProperties" => value.is_u64(),
        "$defs" | "definitions" | "properties" => value.as_object().is_some_and(|fields| fields.values().all(inner)),
        "additionalProperties" | "contains" | "else" | "if" | "items" | "not" | "propertyNames" | "then" => {
            inner(value)
        }
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
            value.as_array().is_some_and(|schemas| !schemas.is_empty() && schemas.iter().all(inner))
        }
        _ => false,
    })
}

/// Returns whether this is an array of distinct strings.
fn is_set(value: &Value, is_right: impl Fn(&str) -> bool, least: usize) -> bool {
    let Value::Array(items) = value else { return false };
    let mut known = HashSet::new();
    items.len() >= least
        && items.iter().all(|item| item.as_str().is_some_and(|item| is_right(item) && known.insert(item)))
}

/// Returns whether this reference is the whole schema or one of its definitions.
fn is_known(target: &str, root: &Map<String, Value>) -> bool {
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    target == "#"
        || ["$defs", "definitions"].into_iter().any(|keyword| {
            let name = target.strip_prefix("#/").and_then(|rest| rest.strip_prefix(keyword)?.strip_prefix('/'));
            let known = root.get(keyword).and_then(Value::as_object);
            name.zip(known).is_some_and(|(name, known)| is_name(name) && known.contains_key(name))
        })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde_json::json;

    use super::is_plain;
    use crate::shape::compiled::compiled;

    const TEXTS: [&str; 10] =
        ["string", "strnig", "null", "date", "#", "#/$defs/a", "#/$defs/b", "#/definitions/a", "#a", "%"];

    /// Values that some keyword accepts, and values that it does not.
    fn value() -> impl Strategy<Value = serde_json::Value> {
        prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(|value| json!(value)),
            prop_oneof![Just(json!(0)), Just(json!(-1)), Just(json!(3)), Just(json!(0.5)), Just(json!(2.0))],
            prop::sample::select(&TEXTS[..]).prop_map(|text| json!(text)),
            vec(prop::sample::select(&TEXTS[..4]), 0..3).prop_map(|texts| json!(texts)),
            Just(json!([])),
            Just(json!({})),
        ]
    }

    fn schema() -> impl Strategy<Value = serde_json::Value> {
        let keywords = [
            "$schema",
            "$ref",
            "$comment",
            "description",
            "format",
            "title",
            "const",
            "default",
            "enum",
            "examples",
            "deprecated",
            "readOnly",
            "uniqueItems",
            "writeOnly",
            "type",
            "required",
            "exclusiveMaximum",
            "maximum",
            "minimum",
            "exclusiveMinimum",
            "maxItems",
            "maxLength",
            "maxProperties",
            "minItems",
            "minLength",
            "minProperties",
            "$defs",
            "definitions",
            "properties",
            "additionalProperties",
            "contains",
            "else",
            "if",
            "items",
            "not",
            "propertyNames",
            "then",
            "allOf",
            "anyOf",
            "oneOf",
            "prefixItems",
            "$id",
            "$anchor",
            "pattern",
            "multipleOf",
            "dependencies",
        ];
        value().prop_recursive(4, 24, 3, move |inner| {
            let nested = prop_oneof![
                inner.clone(),
                vec(inner.clone(), 0..3).prop_map(|schemas| json!(schemas)),
                prop::collection::btree_map("[ab]", inner, 0..3).prop_map(|fields| json!(fields)),
            ];
            prop::collection::btree_map(prop::sample::select(keywords.to_vec()), nested, 0..4)
                .prop_map(|fields| json!(fields))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn the_compiler_accepts_every_plain_schema(schema in schema()) {
            if is_plain(&schema) {
                for check_formats in [false, true] {
                    let compiled = compiled(&schema, check_formats);
                    prop_assert!(compiled.is_ok(), "{schema}: {:?}", compiled.err());
                }
            }
        }
    }

    #[test]
    fn the_schemas_of_everyday_tools_are_plain() {
        for schema in [
            json!({ "type": "object", "properties": { "path": { "type": "string", "description": "The file." } }, "required": ["path"] }),
            json!({ "$schema": super::DIALECT, "type": ["integer", "null"], "minimum": 1, "maximum": 10 }),
            json!({ "type": "array", "items": { "$ref": "#/$defs/order" }, "$defs": { "order": { "enum": ["a", "b"] } } }),
            json!({ "anyOf": [{ "type": "string", "format": "date" }, { "type": "null" }], "default": null }),
        ] {
            assert!(is_plain(&schema), "{schema}");
        }
    }

    #[test]
    fn a_schema_with_a_mistake_is_not_plain() {
        let mut deep = json!({});
        for _ in 0..40 {
            deep = json!({ "not": deep });
        }
        for schema in [
            json!(3),
            json!({ "type": "strnig" }),
            json!({ "type": [] }),
            json!({ "minLength": -1 }),
            json!({ "required": ["a", "a"] }),
            json!({ "anyOf": [] }),
            json!({ "properties": { "a": 1 } }),
            json!({ "$ref": "#/$defs/missing" }),
            json!({ "items": { "$schema": super::DIALECT } }),
            json!({ "$schema": "http://json-schema.org/draft-04/schema#", "exclusiveMinimum": 3 }),
            json!({ "pattern": "(" }),
            json!({ "requird": [] }),
            deep,
        ] {
            assert!(!is_plain(&schema), "{schema}");
        }
    }
}
