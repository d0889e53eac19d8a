//! Values and the types of their attributes.

use super::Checker;
use crate::model::{Attribute, Type, TypeKind, Value};

impl Checker<'_> {
    pub(super) fn types(&mut self) {
        let machine = self.machine;
        let nodes = machine.nodes().iter().flat_map(|node| &node.attributes);
        for attribute in machine.attributes.iter().chain(nodes) {
            self.type_of_value(attribute);
        }
    }

    fn type_of_value(&mut self, attribute: &Attribute) {
        let (Some(ty), Some(value)) = (&attribute.ty, &attribute.value) else { return };
        if let Some(example) = wrong(ty, value) {
            let message = format!("the value of `{}` is not of the type `{ty}`", attribute.name);
            self.report("wrong-type", attribute.value_place, message, format!("write a value such as `{example}`"));
        }
    }
}

/// Returns an example of a right value if this one is surely wrong. Types with other names have any value.
fn wrong(ty: &Type, value: &Value) -> Option<String> {
    // Another node or an environment has the value.
    if matches!(value, Value::Name(_) | Value::External(_)) || (ty.is_optional && *value == Value::Null) {
        return match (&ty.kind, value) {
            (TypeKind::Literals(texts), Value::Name(name)) if !texts.contains(name) => example_of(texts),
            _ => None,
        };
    }
    match &ty.kind {
        TypeKind::Literals(texts) => match value {
            Value::Text(text) if texts.contains(text) => None,
            _ => example_of(texts),
        },
        TypeKind::Named { name, arguments } => wrong_named(&name.to_ascii_lowercase(), arguments, value),
    }
}

fn example_of(texts: &[String]) -> Option<String> {
    texts.first().map(|text| crate::syntax::quote(text))
}

fn wrong_named(name: &str, arguments: &[Type], value: &Value) -> Option<String> {
    let (is_right, example) = match name {
        "string" => (matches!(value, Value::Text(_)), "\"text\""),
        "number" | "float" | "double" | "decimal" => (value.as_f64().is_some(), "3.5"),
        "integer" | "int" => (is_integer(value), "3"),
        "boolean" | "bool" => (value.as_bool().is_some(), "true"),
        "array" | "list" => (is_list(value, arguments), "[]"),
        "object" => (matches!(value, Value::Object(_)) || is_json(value, '{', '}'), "{}"),
        _ => return None,
    };
    (!is_right).then(|| example.to_owned())
}

fn is_integer(value: &Value) -> bool {
    matches!(value, Value::Number(number) if number.as_i64().is_some())
}

fn is_list(value: &Value, arguments: &[Type]) -> bool {
    match (value, arguments) {
        (Value::List(values), [of]) => values.iter().all(|value| wrong(of, value).is_none()),
        (Value::List(_), _) => true,
        _ => is_json(value, '[', ']'),
    }
}

/// Files write lists and objects also as texts: `"[]"`.
fn is_json(value: &Value, open: char, close: char) -> bool {
    matches!(value, Value::Text(text) if text.trim().starts_with(open) && text.trim().ends_with(close))
}
