//! The rule set for shell commands, against the work of developers, against attacks, and against a second reading of bash.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod attacks;
mod comparison;
mod everyday;
mod generated;
mod harmless;
mod hostile;
mod sets;
#[cfg(unix)]
mod stubs;
mod unknown;
mod values;

use exo_rails_policy::ConfigError;
use exo_rails_shell::{DEFAULT_RULES, ShellConfig, ShellDecision, ShellRule, ShellRules};

#[test]
fn the_usual_work_of_developers_passes() {
    let rules = ShellRules::default();
    let explained = |command: &&str| {
        let verdict = rules.judge(command);
        (!verdict.decision.passes()).then(|| format!("{command}\n{}", verdict.explain(command)))
    };
    let asked: Vec<String> = harmless::HARMLESS.iter().filter_map(explained).collect();
    assert!(asked.is_empty(), "{} of {}:\n{}", asked.len(), harmless::HARMLESS.len(), asked.join("\n"));
}

#[test]
fn everyday_commands_with_unknown_parts_pass() {
    let rules = ShellRules::default();
    let explained = |command: &&str| {
        let verdict = rules.judge(command);
        (!verdict.decision.passes()).then(|| format!("{command}\n{}", verdict.explain(command)))
    };
    let asked: Vec<String> = everyday::EVERYDAY.iter().filter_map(explained).collect();
    assert!(asked.is_empty(), "{} of {}:\n{}", asked.len(), everyday::EVERYDAY.len(), asked.join("\n"));
}

#[test]
fn commands_that_an_unknown_part_can_make_harmful_do_not_pass() {
    let rules = ShellRules::default();
    let passed: Vec<&&str> = unknown::UNKNOWN.iter().filter(|command| rules.judge(command).decision.passes()).collect();
    assert!(passed.is_empty(), "{} of {}: {passed:#?}", passed.len(), unknown::UNKNOWN.len());
}

#[test]
fn a_strict_rule_set_asks_about_options_with_values() {
    let rules = ShellRules::builder().strict(true).build().unwrap();
    let passed: Vec<&&str> =
        unknown::OPTIONS_WITH_VALUES.iter().filter(|command| rules.judge(command).decision.passes()).collect();
    assert!(passed.is_empty(), "{passed:#?}");
}

#[test]
fn attacks_do_not_pass() {
    let rules = ShellRules::default();
    let passed: Vec<&&str> = attacks::ATTACKS.iter().filter(|command| rules.judge(command).decision.passes()).collect();
    assert!(passed.is_empty(), "{} of {}: {passed:#?}", passed.len(), attacks::ATTACKS.len());
}

/// Commands that destroy a machine are denied and not only asked about, however they are hidden.
#[test]
fn commands_that_destroy_a_machine_are_denied() {
    let rules = ShellRules::default();
    for worst in
        ["rm -rf /", "rm -rf ~", "git push --force origin main", "dd if=/dev/zero of=/dev/sda", "mkfs.ext4 /dev/sda1"]
    {
        let hidden = [
            worst.to_owned(),
            format!("true && {worst}"),
            format!("sudo nice -n 5 env A=b {worst}"),
            format!("( ( {worst} ) )"),
            format!("if true; then {{ {worst}; }}; fi"),
            format!("echo \"$(echo \"`{worst}`\")\""),
            format!("bash -c '{worst}'"),
            format!("eval \"sh -c '{worst}'\""),
            format!("bash <<'EOF'\n{worst}\nEOF"),
            format!("echo '{worst}' | sh"),
            format!("f() {{ {worst}; }}; f"),
            format!("case x in *) {worst} ;; esac"),
            format!("diff <({worst}) x"),
            format!("timeout -k 1 5 nohup {worst} &"),
            format!("find . -exec {worst} \\;"),
            format!("docker exec web {worst}"),
            worst.replace("rm", "r\\m").replace("git", "g''it"),
        ];
        for command in hidden {
            let verdict = rules.judge(&command);
            assert_eq!(verdict.decision, ShellDecision::Deny, "{command}\n{}", verdict.explain(&command));
        }
    }
}

#[test]
fn the_examples_of_the_shipped_rule_set_hold() {
    let config: ShellConfig = exo_rails_policy::from_toml(DEFAULT_RULES).unwrap();
    for rule in &config.rule {
        assert!(!rule.matches.is_empty() && !rule.not_match.is_empty(), "the rule `{}` has no examples", rule.name);
        assert!(
            rule.reason.chars().next().is_some_and(char::is_lowercase) && !rule.reason.ends_with('.'),
            "{}",
            rule.name
        );
    }
    // A rule of the shipped rule set alone does not make its program known, so that the decision about the rest stays `unlisted`.
    let known =
        |name: &String| config.known.contains(name) || config.program.iter().any(|program| program.name.contains(name));
    let names = config.rule.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>();
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), names.len(), "two rules have the same name");
    assert!(["rm", "git", "cargo", ">", "="].iter().all(|name| known(&(*name).to_owned())));
    ShellRules::new(ShellConfig { shipped: false, ..config }).unwrap();
}

/// Makes a rule set from a file, as the guards do.
fn rules_of(text: &str) -> Result<ShellRules, ConfigError> {
    Ok(ShellRules::new(exo_rails_policy::from_toml(text)?)?)
}

#[test]
fn a_configuration_adds_to_the_shipped_rule_set() {
    let rules = rules_of(
        r#"
        unlisted = "ask"
        known = ["own-tool"]

        [[rule]]
        name = "no-drop"
        program = ["own-tool"]
        subcommand = ["db drop"]
        decision = "deny"
        reason = "it deletes the data of tests"
        match = ["own-tool db drop x", "own-tool --verbose db drop"]
        not_match = ["own-tool db list"]
        "#,
    )
    .unwrap();
    let table = [
        ("own-tool build", ShellDecision::Allow),
        ("own-tool db drop", ShellDecision::Deny),
        ("own-tool db $what", ShellDecision::Ask),
        ("another-tool", ShellDecision::Ask),
        ("rm -rf /", ShellDecision::Deny),
        ("cargo test", ShellDecision::Allow),
    ];
    for (command, expected) in table {
        assert_eq!(rules.judge(command).decision, expected, "{command}");
    }
}

#[test]
fn mistakes_of_a_configuration_are_named() {
    let rule = |rest: &str| format!("[[rule]]\nname = \"x\"\ndecision = \"deny\"\nreason = \"y\"\n{rest}");
    let table = [
        ("unlistd = \"ask\"".to_owned(), "line 1, column 1: unknown key `unlistd`: did you mean `unlisted`?"),
        ("unknown = \"allow\"".to_owned(), "line 1, column 11: unknown value `allow`: write one of `ask`, `deny`"),
        (rule("program = []"), "`rule.x`: the rule has no program: write the names of programs, or `*` for all"),
        (rule("program = [\"a\"]\noperands = [\"@hom\"]"), "`rule.x`: unknown place `@hom`: did you mean `@home`?"),
        (rule("program = [\"a\"]\nmatch = [\"b\"]"), "`rule.x.match`: the rule does not match `b`"),
        (rule("program = [\"a\"]\nnot_match = [\"sudo a\"]"), "`rule.x.not_match`: the rule matches `sudo a`"),
        (
            "[[program]]\nname = [\"p\"]\nlanguage = \"pyton\"".to_owned(),
            "`program.p.language`: unknown language `pyton`: did you mean `python`?",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(rules_of(&text).unwrap_err().to_string(), expected, "{text}");
    }
}

#[test]
fn places_depend_on_the_directory() {
    let rules = ShellRules::builder().working_directory("/home/dev/app").home("/home/dev").build().unwrap();
    let table = [
        ("", "rm /home/dev/app/old.rs", true),
        ("", "rm ~/app/old.rs", true),
        ("", "rm ~/other/old.rs", false),
        ("/home/dev/app/web", "rm -rf node_modules", true),
        ("/home/dev/app/web", "rm -rf ../../x", false),
        ("web", "rm -rf ../node_modules", true),
        ("/home/dev", "rm -rf app", false),
        ("/", "rm x", false),
        ("/tmp/x", "rm -rf y", true),
    ];
    for (directory, command, passes) in table {
        let verdict = rules.judge_in(directory, command);
        assert_eq!(verdict.decision.passes(), passes, "in {directory}: {command}\n{}", verdict.explain(command));
    }
}

#[test]
fn each_word_has_its_range_in_the_text() {
    let command = "cd 'a b' && sudo rm -f \"x y\" > out.txt; sh -c 'git push'";
    let verdict = ShellRules::default().judge(command);
    let found: Vec<(Vec<&str>, &str, Option<usize>)> = verdict
        .commands
        .iter()
        .map(|found| {
            (
                found.words.iter().map(|word| &command[word.range()]).collect(),
                &command[found.range.clone()],
                found.inside,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (vec!["cd", "'a b'"], "cd 'a b'", None),
            (vec!["sudo", "rm", "-f", "\"x y\""], "sudo rm -f \"x y\" > out.txt", None),
            (vec!["rm", "-f", "\"x y\""], "rm -f \"x y\"", Some(1)),
            (vec!["sh", "-c", "'git push'"], "sh -c 'git push'", None),
            (vec!["git", "push"], "git push", Some(3)),
        ]
    );
}

#[test]
fn a_rule_in_code_equals_the_rule_in_toml() {
    let coded = ShellRule::deny("x", "y").program(["a"]).flags(["-f"]).operands(["@home"]).matches(["a -f ~"]);
    let read: ShellConfig = exo_rails_policy::from_toml(
        "[[rule]]\nname = \"x\"\nprogram = [\"a\"]\nflags = [\"-f\"]\noperands = [\"@home\"]\ndecision = \"deny\"\nreason = \"y\"\nmatch = [\"a -f ~\"]",
    )
    .unwrap();
    assert_eq!(read.rule, [coded]);
}
