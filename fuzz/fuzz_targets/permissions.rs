//! Rules of permissions as TOML, and a tool call as JSON, with a line `---` between them.

#![no_main]

use exo_rails::ToolCallInputs;
use exo_rails_guards::permissions::{Permission, PermissionRule, Permissions, PermissionsConfig, Source};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let Some((config, call)) = text.split_once("\n---\n") else { return };
    let Ok(config) = PermissionsConfig::from_toml(config) else { return };
    let call: Value = serde_json::from_str(call).unwrap_or_else(|_| call.into());
    let call = ToolCallInputs::new(call["tool"].as_str().unwrap_or("read_file"))
        .with_arguments(call.get("arguments").cloned().unwrap_or_else(|| call.clone()));
    let judged = |rules: Vec<PermissionRule>, added: Option<PermissionRule>| {
        let config = PermissionsConfig { rules, ..config.clone() };
        let builder = Permissions::builder().config(Source::Global, config);
        let guard =
            added.into_iter().fold(builder, |builder, rule| builder.rule(Source::Session, rule)).build().ok()?;
        Some((guard.judge(&call).permission, guard))
    };
    let Some((before, guard)) = judged(config.rules.clone(), None) else { return };
    let _ = (guard.explain(&call).to_string(), guard.lint());
    assert_eq!(guard.judge(&call).permission, before, "the decision changes from call to call");

    let reversed = judged(config.rules.iter().rev().cloned().collect(), None).expect("the rules are the same");
    assert_eq!(reversed.0, before, "the order of the rules matters");

    for rule in &config.rules {
        let with = |decision| {
            let added = PermissionRule { decision, name: None, ..rule.clone() };
            judged(config.rules.clone(), Some(added)).expect("the rule is valid").0
        };
        assert!(with(Permission::Deny) >= before, "a rule that denies allows more: {rule:?}");
        assert!(before.passes() || !with(Permission::Ask).passes(), "a rule that asks allows more: {rule:?}");
        if rule.decision.passes() {
            let others = config.rules.iter().filter(|other| !std::ptr::eq(*other, rule)).cloned().collect();
            let without = judged(others, None).expect("the rules are valid").0;
            assert!(before.passes() || !without.passes(), "without a rule that allows, more is allowed: {rule:?}");
        }
    }
    if !call.tool_name.contains(|c| "*?[]{}\\|()^$".contains(c)) && !call.tool_name.trim().is_empty() {
        let (denied, _) =
            judged(config.rules.clone(), Some(PermissionRule::deny(&*call.tool_name))).expect("the name is valid");
        assert_eq!(denied, Permission::Deny, "a rule denies the tool by its name");
    }
});
