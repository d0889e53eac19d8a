//! The changes that rails made in a payload.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};

use crate::event::Inputs;

/// Returns the parts of a payload that rails can change, as JSON.
pub(crate) fn changeable(inputs: &Inputs<'_>) -> Value {
    match inputs {
        Inputs::Start(run) => value(run),
        Inputs::MemoryRecalled(_, memory) => value(memory),
        Inputs::ContextAssembled(context) | Inputs::ContextOverflow(context) => value(context),
        Inputs::PreCompaction(history) => value(history),
        Inputs::PreLlmCall(call) => value(call),
        Inputs::LlmChunk(_, window) => json!({ "text": format!("{}{}", window.text, window.held_back()) }),
        Inputs::PostLlmCall(_, response) => value(response),
        Inputs::PreToolCall(call) => value(call),
        Inputs::PostToolCall(_, output) => value(output),
        Inputs::Finished(_, output) => value(output),
        Inputs::MemoryStored(entry) => value(entry),
        Inputs::Custom(own) => Value::String(format!("{own:?}")),
        Inputs::SessionStart(_)
        | Inputs::PostCompaction(..)
        | Inputs::LlmError(..)
        | Inputs::ToolError(..)
        | Inputs::Error(..)
        | Inputs::SessionEnd(_)
        | Inputs::Suspended(..)
        | Inputs::Dropped(_) => Value::Null,
    }
}

fn value(part: &impl Serialize) -> Value {
    serde_json::to_value(part).unwrap_or_default()
}

/// Returns the differences between two values, each as `path: before -> after`.
pub(crate) fn differences(before: &Value, after: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect("", before, after, &mut |path, before, after| {
        let path = if path.is_empty() { String::new() } else { format!("{path}: ") };
        found.push(format!("{path}{before} -> {after}"));
    });
    found
}

/// Returns the paths of the values that differ, without the values. The empty path is the whole value.
pub(crate) fn changed_paths(before: &Value, after: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect("", before, after, &mut |path, _, _| found.push(path.to_owned()));
    found
}

fn collect(path: &str, before: &Value, after: &Value, found: &mut impl FnMut(&str, &Value, &Value)) {
    match (before, after) {
        _ if before == after => {}
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<_> = one.keys().chain(other.keys()).collect();
            for name in names {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let of = |object: &serde_json::Map<String, Value>| object.get(name).cloned().unwrap_or_default();
                collect(&path, &of(one), &of(other), found);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (i, (one, other)) in one.iter().zip(other).enumerate() {
                collect(&format!("{path}[{i}]"), one, other, found);
            }
        }
        _ => found(path, before, after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_difference_names_its_path_and_both_values() {
        let before = json!({ "a": [1, { "b": 2 }], "gone": true, "same": "x" });
        let after = json!({ "a": [1, { "b": 3 }], "new": [1], "same": "x" });
        assert_eq!(differences(&before, &after), ["a[1].b: 2 -> 3", "gone: true -> null", "new: null -> [1]"]);
        assert_eq!(differences(&json!("one"), &json!("two")), ["\"one\" -> \"two\""]);
        assert_eq!(differences(&before, &before), Vec::<String>::new());
    }
}
