//! The registry of tools, as upstream's tests describe it, without its faults.

use exo_rails::NoRails;
use exo_rails::prelude::*;
use exo_rails_machine::{NamePattern, RegistryError, ToolRegistry};
use serde_json::{Value, json};

fn tool(name: &str) -> Tool {
    let output = format!("tool {name}");
    Tool::new(name, "", json!({}), move |_: Value| {
        let output = output.clone();
        async { Ok::<_, OperationError>(output) }
    })
}

fn add(registry: &mut ToolRegistry, pattern: NamePattern, answer: &'static str) -> Result<(), RegistryError> {
    registry.add_pattern(
        pattern,
        move |call| async move { Ok::<_, OperationError>(format!("{answer} {}", call.tool_name)) },
    )
}

async fn call(registry: &ToolRegistry, name: &str) -> String {
    let run = |call| registry.call(call);
    NoRails.guard_tool_call(ToolCallInputs::new(name), &mut RunContext::new("test"), run).await.unwrap().content
}

#[tokio::test]
async fn exact_names_win_over_patterns_and_patterns_keep_their_order() {
    let mut registry = ToolRegistry::new();
    add(&mut registry, NamePattern::regex("^read_[a-z]+$").unwrap(), "regex").unwrap();
    add(&mut registry, NamePattern::prefix("read_"), "prefix").unwrap();
    registry.add(tool("read_me")).unwrap();
    assert_eq!(call(&registry, "read_me").await, "tool read_me");
    assert_eq!(call(&registry, "read_data").await, "regex read_data");
    assert_eq!(call(&registry, "read_Data").await, "prefix read_Data");
    assert!(call(&registry, "write_data").await.contains("there is no tool `write_data`"));
    let found = registry.diagnostics();
    assert_eq!(
        (found.tools, found.patterns),
        (vec!["read_me".to_owned()], vec!["/^read_[a-z]+$/".to_owned(), "read_*".to_owned()])
    );
}

/// In upstream, names of static tools are prefixes too.
#[test]
fn a_tool_matches_only_its_whole_name() {
    let mut registry = ToolRegistry::new();
    registry.add(tool("exact_name")).unwrap();
    assert!(registry.has("exact_name") && !registry.has("exact_name_extended") && !registry.has("exact_nam"));
    assert!(registry.add(tool("exact_name")).is_err());
}

#[test]
fn a_pattern_that_is_never_reached_is_refused() {
    let mut registry = ToolRegistry::new();
    add(&mut registry, NamePattern::prefix("read_"), "").unwrap();
    for hidden in ["^read_[a-z]+$", "^read_x", "^read_file_(a|b)$"] {
        let error = add(&mut registry, NamePattern::regex(hidden).unwrap(), "").unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the pattern `/{hidden}/` is never reached: `read_*` matches all its names")
        );
    }
    for reached in ["read_x", "^read", "^(read_|write_)x$", "^write_"] {
        add(&mut registry, NamePattern::regex(reached).unwrap(), "").unwrap();
    }
    assert!(add(&mut registry, NamePattern::regex("^write_").unwrap(), "").is_err());
    assert!(add(&mut registry, NamePattern::prefix("read_"), "").is_err());
    add(&mut registry, NamePattern::prefix("rea"), "").unwrap();
    assert!(matches!(NamePattern::regex("("), Err(RegistryError::Regex { .. })));
}
