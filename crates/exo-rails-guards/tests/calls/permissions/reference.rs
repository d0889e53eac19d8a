//! The semantics, written a second time as plainly as possible, and compared with the guard.

use exo_rails::ToolCallInputs;
use exo_rails_guards::Permissions;
use exo_rails_guards::permissions::{
    ArgumentCondition, Caution, Permission, PermissionMode, PermissionRule, PermissionsConfig, Source,
};
use proptest::prelude::*;
use serde_json::json;

/// A rule of the small world: three tools, one argument with a number.
#[derive(Clone, Debug)]
struct SmallRule {
    source: Source,
    /// `a_one`, `a_two`, `b`, `a_*` or `*`.
    tool: &'static str,
    /// The smallest number that matches.
    min: Option<u8>,
    permission: Permission,
}

#[derive(Clone, Debug)]
struct World {
    mode: PermissionMode,
    default: Permission,
    unknown: Caution,
    rules: Vec<SmallRule>,
}

#[derive(Clone, Debug)]
struct SmallCall {
    tool: &'static str,
    number: Option<u8>,
}

fn sources() -> impl Strategy<Value = Source> {
    prop::sample::select(vec![Source::Global, Source::Project, Source::Cli, Source::Session])
}

fn all_permissions() -> impl Strategy<Value = Permission> {
    prop::sample::select(vec![Permission::Allow, Permission::Notify, Permission::Ask, Permission::Deny])
}

fn rules(permission: impl Strategy<Value = Permission>) -> impl Strategy<Value = SmallRule> {
    let tools = prop::sample::select(vec!["a_one", "a_two", "read_file", "edit_file", "a_*", "*"]);
    (sources(), tools, prop::option::of(0_u8..4), permission).prop_map(|(source, tool, min, permission)| SmallRule {
        source,
        tool,
        min,
        permission,
    })
}

fn worlds() -> impl Strategy<Value = World> {
    let modes = prop::sample::select(vec![
        PermissionMode::Default,
        PermissionMode::Plan,
        PermissionMode::AcceptEdits,
        PermissionMode::Bypass,
        PermissionMode::DontAsk,
    ]);
    let unknown = prop::sample::select(vec![Caution::Ask, Caution::Deny]);
    (modes, all_permissions(), unknown, prop::collection::vec(rules(all_permissions()), 0..6))
        .prop_map(|(mode, default, unknown, rules)| World { mode, default, unknown, rules })
}

fn calls() -> impl Strategy<Value = SmallCall> {
    (prop::sample::select(vec!["a_one", "a_two", "read_file", "edit_file"]), prop::option::of(0_u8..5))
        .prop_map(|(tool, number)| SmallCall { tool, number })
}

fn guard(world: &World) -> Permissions {
    let settings = PermissionsConfig {
        permission_mode: (world.mode != PermissionMode::Default).then_some(world.mode),
        default: Some(world.default),
        unknown: Some(world.unknown),
        ..PermissionsConfig::default()
    };
    let mut builder = Permissions::builder().config(Source::Global, settings);
    for rule in &world.rules {
        let mut made = match rule.permission {
            Permission::Allow => PermissionRule::allow(rule.tool),
            Permission::Notify => PermissionRule::notify(rule.tool),
            Permission::Ask => PermissionRule::ask(rule.tool),
            Permission::Deny => PermissionRule::deny(rule.tool),
        };
        if let Some(min) = rule.min {
            made = made.argument("number", ArgumentCondition::min(f64::from(min)));
        }
        builder = builder.rule(rule.source, made);
    }
    builder.build().unwrap()
}

fn decision(world: &World, call: &SmallCall) -> Permission {
    let arguments = call.number.map_or(json!({}), |number| json!({ "number": number }));
    guard(world).judge(&ToolCallInputs::new(call.tool).with_arguments(arguments)).permission
}

/// The table of the documentation, step by step.
fn reference(world: &World, call: &SmallCall) -> Permission {
    let names_tool = |rule: &SmallRule| match rule.tool {
        "*" => true,
        "a_*" => call.tool.starts_with("a_"),
        name => name == call.tool,
    };
    let certain = |rule: &SmallRule| rule.min.is_none_or(|min| call.number.is_some_and(|number| number >= min));
    let possible = |rule: &SmallRule| rule.min.is_some() && call.number.is_none();
    // 1: a rule that denies.
    let denies = |rule: &&SmallRule| rule.permission == Permission::Deny && names_tool(rule);
    if world.rules.iter().filter(denies).any(certain) {
        return Permission::Deny;
    }
    // 2: the most specific rule, then the source, then the strictest.
    let matches = |rule: &&SmallRule| match rule.permission {
        Permission::Allow | Permission::Notify => names_tool(rule) && certain(rule),
        Permission::Ask => names_tool(rule) && (certain(rule) || possible(rule)),
        Permission::Deny => false,
    };
    let level = |rule: &SmallRule| match rule.tool {
        "*" => 0,
        "a_*" => 1,
        _ => 2,
    };
    let literal = |rule: &SmallRule| rule.tool.replace('*', "").len();
    let key = |rule: &SmallRule| {
        (rule.min.is_some(), level(rule), rule.min.iter().count(), literal(rule), rule.source, rule.permission)
    };
    let best = world.rules.iter().filter(matches).max_by_key(|rule| key(rule)).map(|rule| rule.permission);
    // 3 and 4: the default and the mode.
    let (reads, edits) = (call.tool == "read_file", call.tool == "edit_file");
    let mut result = match (best, world.mode) {
        (Some(permission), _) => permission,
        (None, PermissionMode::Plan) if reads => Permission::Allow,
        (None, PermissionMode::AcceptEdits) if edits => Permission::Allow,
        (None, _) => world.default,
    };
    if world.mode == PermissionMode::Plan && !reads {
        result = Permission::Deny;
    }
    if world.mode == PermissionMode::Bypass && result > Permission::Notify {
        result = Permission::Allow;
    }
    // 5: a rule that denies may match.
    if world.rules.iter().filter(denies).any(possible) {
        result = result.max(world.unknown.into());
    }
    // 6: nobody can be asked.
    if world.mode == PermissionMode::DontAsk && result == Permission::Ask {
        result = Permission::Deny;
    }
    result
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_guard_decides_as_the_table_says(world in worlds(), call in calls()) {
        prop_assert_eq!(decision(&world, &call), reference(&world, &call));
    }

    #[test]
    fn a_further_deny_never_permits_more(world in worlds(), call in calls(), deny in rules(Just(Permission::Deny))) {
        let mut more = world.clone();
        more.rules.push(deny);
        prop_assert!(decision(&more, &call) >= decision(&world, &call) || decision(&world, &call).passes());
        prop_assert!(!decision(&more, &call).passes() || decision(&world, &call).passes());
    }

    #[test]
    fn a_further_ask_never_permits_more(world in worlds(), call in calls(), ask in rules(Just(Permission::Ask))) {
        let mut more = world.clone();
        more.rules.push(ask);
        prop_assert!(!decision(&more, &call).passes() || decision(&world, &call).passes());
    }

    #[test]
    fn without_an_allow_nothing_more_is_permitted(world in worlds(), call in calls(), allow in rules(Just(Permission::Allow))) {
        let mut more = world.clone();
        more.rules.push(allow);
        prop_assert!(!decision(&world, &call).passes() || decision(&more, &call).passes() || world.default.passes() || world.mode != PermissionMode::Default);
        prop_assert!(decision(&more, &call) == Permission::Deny || decision(&more, &call) <= decision(&world, &call));
    }

    #[test]
    fn the_order_of_rules_does_not_matter(
        (world, shuffled) in worlds().prop_flat_map(|world| {
            let rules = Just(world.rules.clone()).prop_shuffle();
            (Just(world), rules)
        }),
        call in calls(),
    ) {
        let other = World { rules: shuffled, ..world.clone() };
        prop_assert_eq!(decision(&world, &call), decision(&other, &call));
    }

    #[test]
    fn an_explanation_agrees_with_the_decision(world in worlds(), call in calls()) {
        let arguments = call.number.map_or(json!({}), |number| json!({ "number": number }));
        let call = ToolCallInputs::new(call.tool).with_arguments(arguments);
        let guard = guard(&world);
        let (explained, decided) = (guard.explain(&call), guard.judge(&call));
        prop_assert_eq!(explained.permission, decided.permission);
        prop_assert_eq!(&explained.parts[0].rule, &decided.rule);
    }
}
