//! Configurations, and the errors in them.

use exo_rails_guards::scan::{Action, Actions, At, Override};
use exo_rails_guards::{Kit, Secrets, config};
use std::fs;

fn error(toml: &str) -> String {
    Kit::from_toml(toml).unwrap_err().to_string()
}

#[test]
fn a_mistake_names_its_place_and_what_to_write() {
    let table = [
        ("[secrets]\nacton = 1", "line 2, column 1: unknown key `acton`: did you mean `actions`?"),
        (
            "[secrets]\nactions = { input = 'refus' }",
            "line 2, column 21: unknown value `refus`: did you mean `refuse`?",
        ),
        (
            "[secrets]\nexcept = ['generic']",
            "line 2, column 10: `secrets`: `except`: no rule `generic`: did you mean `generic-secret`?",
        ),
        (
            "[secrets]\noverrides = [{ rule = 'jwtt', action = 'report' }]",
            "line 2, column 23: `secrets`: `overrides[0]`: `rule`: no rule `jwtt`: did you mean `jwt`?",
        ),
        (
            "[personal_data]\nrecognisers = ['mail']",
            "line 2, column 15: `personal_data`: `recognisers`: no rule `mail`: did you mean `email`?",
        ),
        (
            "[secrets]\nrules = [{ id = 'a', regex = '(' }]",
            "line 2, column 30: `secrets`: `rules[0]`: `a`: `regex`: `(` is not a regex: unclosed group",
        ),
        (
            "[secrets]\nrules = [{ regex = 'a' }]",
            "line 2, column 10: `secrets`: `rules[0]`: a rule has no `id`: write a name such as `id = \"desk-token\"`",
        ),
        (
            "[secrets]\nrules = [{ id = 'a', regex = '(a)', secretGroup = 2 }]",
            "line 2, column 51: `secrets`: `rules[0]`: `a`: `secretGroup`: the regex has no group 2: write the number of a group in it, from 1",
        ),
        (
            "[secrets]\ndefault_rules = false",
            "line 1, column 2: `secrets`: the guard has no rules: write `default_rules = true`, `files` or `rules`",
        ),
        (
            "[secrets]\nmax_text_bytes = 0",
            "line 2, column 18: `secrets`: `max_text_bytes`: 0 would hide every text: write a number of bytes, such as 1_048_576",
        ),
        (
            "[secrets]\nrules = [{ id = 'a', regex = 'a{1000}{1000}' }]",
            "line 2, column 30: `secrets`: `rules[0]`: `a`: `regex`: the regex is too large: write smaller repetitions",
        ),
    ];
    for (toml, expected) in table {
        assert_eq!(error(toml), expected);
    }
}

#[test]
fn a_file_of_gitleaks_is_read_and_a_mistake_in_it_has_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rules.toml");
    let load = |text: &str| {
        fs::write(&path, text).unwrap();
        Secrets::builder().default_rules(false).files([path.clone()]).build().map_err(|error| error.to_string())
    };
    let secrets = load(
        r#"
        title = "rules of the desk"
        minVersion = "v8.25.0"
        [extend]
        useDefault = true
        [[allowlists]]
        description = "tests"
        stopwords = ["fake"]
        targetRules = ["desk"]
        [[rules]]
        id = "desk"
        description = "a token of the desk"
        regex = '''(?i)[\w.-]{0,50}?(?:desk)(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:)[\x60'"\s=]{0,5}([a-z0-9{]{12})(?:[\x60'"\s;]|\\[nr]|$)'''
        entropy = 2
        keywords = ["desk"]
        path = '''\.env$'''
        tags = ["desk"]
        [[rules.allowlists]]
        condition = "AND"
        regexes = ['''^a''']
        paths = ['''test''']
        [[rules]]
        id = "files"
        path = '''\.p12$'''
        "#,
    )
    .unwrap();
    assert_eq!(secrets.rules().collect::<Vec<_>>(), [("desk", "a token of the desk")]);
    assert_eq!(secrets.redacted("MY_DESK_TOKEN = 'a1b2c3d4e5f6'"), "MY_DESK_TOKEN = '[DESK]'");
    assert_eq!(secrets.redacted("MY_DESK_TOKEN = 'a1b2fake5f6g'"), "MY_DESK_TOKEN = 'a1b2fake5f6g'");
    assert_eq!(secrets.redacted("MY_DESK_TOKEN = 'aaaaaaaaaaaa'"), "MY_DESK_TOKEN = 'aaaaaaaaaaaa'");

    let message = load("[[rules]]\nid = 'a'\nregex = 'a'\n\n[[rules]]\nid = 'b'\nregex = '[a'\n").unwrap_err();
    let expected = format!(
        "{}: line 7, column 9: `files`: `b`: `regex`: `[a` is not a regex: unclosed character class",
        path.display()
    );
    assert_eq!(message, expected);
    let message = load("[[rules]]\nid = 'a'\nregx = 'a'").unwrap_err();
    assert!(message.ends_with("line 3, column 1: `files`: unknown key `regx`: did you mean `regex`?"), "{message}");
    let message = Secrets::builder().files(["/nowhere.toml"]).build().unwrap_err().to_string();
    assert!(message.starts_with("/nowhere.toml: `files`: cannot be read: "), "{message}");
}

#[test]
fn a_rule_replaces_an_earlier_rule_with_the_same_name() {
    let secrets = Secrets::new(
        config::from_toml("rules = [{ id = 'jwt', regex = 'jwt-[0-9]+', description = 'a test' }]").unwrap(),
    );
    let secrets = secrets.unwrap();
    assert_eq!(secrets.rules().filter(|(name, _)| *name == "jwt").collect::<Vec<_>>(), [("jwt", "a test")]);
    assert_eq!(secrets.redacted("jwt-12"), "[JWT]");
}

#[test]
fn the_strictest_action_of_the_rules_that_overlap_counts() {
    let rules = r"
        default_rules = false
        rules = [
            { id = 'word', regex = '\w+-secret' },
            { id = 'number', regex = '[0-9]+' },
            { id = 'loud', regex = 'loud' },
        ]
        actions = { output = 'report' }
        overrides = [{ rule = 'number', at = 'output', action = 'redact' }, { rule = 'lou?', action = 'off' }]
    ";
    let secrets = Secrets::new(config::from_toml(rules).unwrap()).unwrap();
    assert_eq!(secrets.redacted("a-secret loud"), "a-secret loud");
    assert_eq!(secrets.redacted("12-secret 34"), "[WORD] [NUMBER]");
    let overrides = [Override { rule: vec!["jwt".into()], at: vec![At::Output], action: Action::Off }];
    let secrets = Secrets::builder().actions(Actions::everywhere(Action::Refuse)).overrides(overrides).build().unwrap();
    let jwt = format!("eyJ{}.eyJ{}.{}", super::formats::word(30), super::formats::word(60), super::formats::word(43));
    assert_eq!(secrets.redacted(&jwt), jwt);
}
