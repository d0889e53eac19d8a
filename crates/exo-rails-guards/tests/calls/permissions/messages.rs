//! What people read about configurations: errors, lints, explanations.

use exo_rails_guards::config::Sections;
use exo_rails_guards::permissions::{PermissionMode, PermissionRule, Permissions, PermissionsConfig, Source};
use serde_json::json;

use crate::permissions::{call, permissions};

fn error(toml: &str) -> String {
    match PermissionsConfig::from_toml(toml).and_then(Permissions::new) {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_mistake_has_its_place_and_the_correction() {
    for (toml, expected) in [
        (
            "permissions_mode = 'plan'",
            "line 1, column 1: unknown key `permissions_mode`: did you mean `permission_mode`?",
        ),
        ("permission_mode = 'plann'", "line 1, column 19: unknown value `plann`: did you mean `plan`?"),
        (
            "[[rules]]\ntool = 'x'\ndecision = 'ask'\nbecuase = 'y'",
            "line 4, column 1: unknown key `becuase`: did you mean `because`?",
        ),
        ("[[rules]]\ndecision = 'ask'", "line 1, column 1: missing field `tool`"),
        (
            "[[rules]]\ntool = []\ndecision = 'ask'",
            "line 1, column 1: `rules.rule-1.tool`: the list is empty: write the name of a tool, or `*` for all tools",
        ),
        (
            "[[rules]]\ntool = 5\ndecision = 'ask'",
            "line 2, column 8: invalid type: integer `5`, expected a text or a list of texts",
        ),
        (
            "[[rules]]\ntool = 'x'\narguments = { amount = { maxx = 5 } }\ndecision = 'ask'",
            "line 3, column 26: unknown key `maxx`: did you mean `max`?",
        ),
        (
            "\n[[rules]]\nname = 'n'\ntool = 'x'\narguments = { a = { regex = '(' } }\ndecision = 'ask'",
            "line 2, column 1: `rules.n.arguments.a`: `(` is not a regular expression: error: unclosed group",
        ),
        (
            "[[rules]]\ntool = 'x'\narguments = { a = {} }\ndecision = 'ask'",
            "line 1, column 1: `rules.rule-1.arguments.a`: the condition is empty: write what the argument must be, such as `{ exists = true }`",
        ),
        (
            "[[rules]]\ntool = 'x'\narguments = { a = { min = 5, max = 1 } }\ndecision = 'ask'",
            "line 1, column 1: `rules.rule-1.arguments.a`: no number is at least 5 and at most 1: change `min` or `max`",
        ),
        (
            "[[rules]]\ntool = 'x'\npath = 'a/../b'\ndecision = 'ask'",
            "line 1, column 1: `rules.rule-1.path`: `a/../b` is not a pattern of paths: write a path without `..`",
        ),
        (
            "[[rules]]\ntool = 'x'\nhost = 'https://a.org'\ndecision = 'ask'",
            "line 1, column 1: `rules.rule-1.host`: `https://a.org` is not a host: write a name such as `example.com`, `*.example.com`, or `*`",
        ),
        (
            "[[rules]]\ntool = 'x'\ncommand = 'ls'\ndecision = 'ask'",
            "line 1, column 1: `rules.rule-1.command`: `x` does not run shell commands: remove `command`, or set `tools.x.commands` to the names of its arguments that are commands",
        ),
        (
            "[[rules]]\ntool = 'bash'\ncommand = 'ls | wc'\ndecision = 'ask'",
            "line 1, column 1: `rules.rule-1.command`: `|` is not a word of a simple command: write the first words of one command, such as `git push`",
        ),
        (
            "[[rules]]\nname = 'a'\ntool = 'x'\ndecision = 'ask'\n[[rules]]\nname = 'a'\ntool = 'y'\ndecision = 'ask'",
            "line 5, column 1: `rules.a.name`: two rules have the name `a`: change one of them",
        ),
        ("home = 'ada'", "`home`: `ada` is not an absolute path: write a path that begins with `/`"),
        ("[tools.'a[']\neffect = 'read'", "`tools.a[`: `a[` is not a pattern: unclosed character class; missing ']'"),
    ] {
        assert_eq!(error(toml), expected, "{toml}");
    }
}

#[test]
fn an_unknown_tool_has_a_suggestion() {
    let build = |tool: &str| {
        Permissions::builder().known_tools(["refund", "search"]).rule(Source::Cli, PermissionRule::ask(tool)).build()
    };
    assert_eq!(
        build("refnud").unwrap_err().to_string(),
        "`rules.rule-1.tool`: unknown tool `refnud`: did you mean `refund`?"
    );
    assert_eq!(
        build("x").unwrap_err().to_string(),
        "`rules.rule-1.tool`: unknown tool `x`: write one of `refund`, `search`"
    );
    let lints: Vec<String> = build("drop_*").unwrap().lint().iter().map(ToString::to_string).collect();
    assert_eq!(lints, ["the rule `rule-1` (cli) matches no tool: check the pattern in `tool`"]);
}

#[test]
fn a_project_cannot_switch_the_rules_off() {
    let config = PermissionsConfig { permission_mode: Some(PermissionMode::Bypass), ..PermissionsConfig::default() };
    let config = config.with_places(&Sections::default(), Some("project.toml".as_ref()));
    let error = Permissions::builder().config(Source::Project, config).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "project.toml: `permission_mode`: a project cannot switch its rules off: set `bypass` on the command line or in the code"
    );
}

#[test]
fn lints_name_both_rules() {
    let guard = permissions(
        "\
[[rules]]
name = 'one'
tool = 'pay'
decision = 'allow'
[[rules]]
name = 'two'
tool = 'pay'
decision = 'ask'
[[rules]]
name = 'three'
tool = ['pay']
decision = 'ask'
[[rules]]
name = 'four'
tool = 'db_*'
decision = 'deny'
[[rules]]
name = 'five'
tool = 'db_read'
arguments = { x = 1 }
decision = 'allow'
[[rules]]
name = 'six'
tool = 'mcp_*'
arguments = { x = 1 }
decision = 'deny'
",
    );
    let lints: Vec<String> = guard.lint().iter().map(ToString::to_string).collect();
    assert_eq!(
        lints,
        [
            "the rule `one` (global, line 1) contradicts `two` (global, line 5), which has the same conditions and decides",
            "the rule `three` (global, line 9) says the same as `two` (global, line 5): remove one of them",
            "the rule `five` (global, line 17) never decides: `four` (global, line 13) matches the same calls and always wins",
            "the rule `six` (global, line 22) also stops calls of tools without its argument, because `tool` is a pattern: name the tools, or add `if_missing = \"no-match\"`",
        ]
    );
}

#[test]
fn an_explanation_says_why_rules_lost() {
    let file = PermissionsConfig::from_toml(
        "rules = [{ tool = 'pay', decision = 'ask' }, { tool = '*', decision = 'notify' }]",
    )
    .unwrap();
    let guard = Permissions::builder()
        .config(
            Source::Global,
            file.with_places(&Sections::parse("rules = [\n{},\n{}]").unwrap(), Some("policy.toml".as_ref())),
        )
        .rule(Source::Session, PermissionRule::allow("pay").named("yes").because("the user trusts it"))
        .build()
        .unwrap();
    assert_eq!(
        guard.explain(&call("pay", json!({}))).to_string(),
        "allow: `pay`\n  allow by `yes` (session): the user trusts it\n    \
         not ask by `rule-1` (global, policy.toml, line 2): its source has a lower precedence\n    \
         not notify by `rule-2` (global, policy.toml, line 3): it is less specific"
    );
    let guard = Permissions::builder().permission_mode(PermissionMode::DontAsk).build().unwrap();
    assert_eq!(
        guard.explain(&call("pay", json!({}))).to_string(),
        "deny: `pay` in the mode `dont-ask`\n  deny: nobody can be asked in the mode `dont-ask`: no rule allows this call, so a person must agree"
    );
}
