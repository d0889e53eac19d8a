//! Tools by exact names and by patterns.

use exo_rails::NoRails;
use exo_rails::prelude::*;
use exo_rails_machine::{NamePattern, ToolRegistry};
use serde_json::{Value, json};

fn tool(name: &str, answer: &'static str) -> Tool {
    Tool::new(name, "", json!({}), move |arguments: Value| async move {
        Ok::<_, OperationError>(format!("{answer} {arguments}"))
    })
}

fn add(registry: &mut ToolRegistry, pattern: NamePattern) {
    let run = |call: Permit<ToolCallInputs>| async move {
        Ok::<_, OperationError>(format!("pattern {} {}", call.tool_name, call.arguments))
    };
    registry.add_pattern(pattern, run).unwrap();
}

async fn output(registry: &ToolRegistry, name: &str, arguments: Value) -> String {
    let mut call = ToolCallInputs::new(name);
    call.arguments = arguments;
    let run = |call| registry.call(call);
    NoRails.guard_tool_call(call, &mut RunContext::new("test"), run).await.unwrap().content
}

/// A pattern, a name, and whether the pattern has it.
#[test]
fn patterns_match_names_exactly() {
    let prefix = || NamePattern::prefix("transition_to_");
    let regex = |text: &str| NamePattern::regex(text).unwrap();
    let cases = [
        (prefix(), "transition_to_ready", true),
        (prefix(), "transition_to_x", true),
        (prefix(), "other_tool", false),
        (prefix(), "not_transition_to_x", false),
        (prefix(), "Transition_to_x", false),
        // There, the prefix alone is a tool too.
        (prefix(), "transition_to_", false),
        (regex("^read_"), "read_context", true),
        (regex("^read_"), "write_data", false),
        (regex("^(read|write)_[a-z]+$"), "read_data", true),
        (regex("^(read|write)_[a-z]+$"), "write_config", true),
        (regex("^(read|write)_[a-z]+$"), "read_", false),
        (regex("^(read|write)_[a-z]+$"), "read_Data", false),
    ];
    for (pattern, name, expected) in cases {
        let case = format!("{pattern} {name}");
        let mut registry = ToolRegistry::new();
        add(&mut registry, pattern);
        assert_eq!(registry.has(name), expected, "{case}");
    }
}

#[tokio::test]
async fn calls_reach_their_tool_with_their_arguments() {
    let mut registry = ToolRegistry::new();
    add(&mut registry, NamePattern::prefix("test_"));
    registry.add(tool("test_tool", "tool")).unwrap();
    assert_eq!(output(&registry, "test_tool", json!({ "message": "hi" })).await, r#"tool {"message":"hi"}"#);
    assert_eq!(output(&registry, "test_data", json!({ "value": 42 })).await, r#"pattern test_data {"value":42}"#);
    let missing = output(&registry, "missing", json!({})).await;
    assert!(missing.contains("there is no tool `missing`"), "{missing}");

    let fail = |_: Permit<ToolCallInputs>| async {
        Err::<String, _>(OperationError::new(OperationErrorKind::Other, "it broke"))
    };
    registry.add_pattern(NamePattern::prefix("failing_"), fail).unwrap();
    assert!(output(&registry, "failing_x", json!({})).await.contains("it broke"));
}

#[test]
fn tools_and_patterns_are_removed() {
    let mut registry = ToolRegistry::new();
    registry.add(tool("temp_tool", "")).unwrap();
    add(&mut registry, NamePattern::prefix("temp_"));
    add(&mut registry, NamePattern::regex("^other").unwrap());
    let found = registry.diagnostics();
    // There, each tool is counted as a pattern too.
    assert_eq!((found.tools.len(), found.patterns.len()), (1, 2));

    assert_eq!(registry.remove("temp_tool").map(|tool| tool.name().to_owned()).as_deref(), Some("temp_tool"));
    assert!(registry.remove("temp_tool").is_none() && registry.has("temp_tool"), "the pattern has the name too");
    assert!(!registry.remove_pattern(&NamePattern::prefix("temp")));
    assert!(registry.remove_pattern(&NamePattern::prefix("temp_")));
    assert!(!registry.has("temp_tool") && registry.has("other"));
    registry.add(tool("temp_tool", "")).unwrap();

    registry.clear();
    let found = registry.diagnostics();
    assert!(found.tools.is_empty() && found.patterns.is_empty() && !registry.has("other"));
}
