//! Properties of generated commands.

use std::sync::LazyLock;

use exo_rails_shell::{Caution, EffectKind, ShellDecision, ShellRule, ShellRules, ShellRulesBuilder};
use proptest::prelude::*;

static CAUTIOUS: LazyLock<ShellRules> = LazyLock::new(|| {
    let unknown =
        ShellRule::deny("unknown", "nothing unknown runs").effect([EffectKind::Unknown, EffectKind::RunsCode]);
    ShellRules::builder().unreadable(Caution::Deny).rule(unknown).build().unwrap()
});

/// Programs around a program: `@` is its place.
const AROUND: [&str; 34] = [
    "( @ )",
    "{ @; }",
    "if @; then :; fi",
    "if :; then @; fi",
    "if :; then :; else @; fi",
    "if :; then :; elif @; then :; fi",
    "while @; do :; done",
    "until :; do @; done",
    "for x in a b; do @; done",
    "for ((i=0; i<1; i++)); do @; done",
    "case x in a|b) : ;; *) @ ;; esac",
    "case x in (x) @\nesac",
    "f() { @; }",
    "function g { @; }",
    "echo $( @ )",
    "echo \"a $( @ ) b\"",
    "x=$( @ )",
    "diff <( @ ) y",
    "tee >( @ )",
    "echo ${x:-$( @ )}",
    "echo $(( 1 + $( @ ) ))",
    "[[ -n $( @ ) ]]",
    "! @",
    "time @",
    "@ | cat",
    "ls | @",
    "@ && :",
    ": && @",
    ": || @",
    "@ ; :",
    ": ; @",
    "@ & :",
    ":\n@",
    "cat <<EOF\n$( @ )\nEOF",
];

/// Ways to write the same word.
fn spelled(word: &'static str) -> impl Strategy<Value = String> {
    let quote = (0..=word.len(), 0..4_u8).prop_map(move |(at, kind)| {
        let (head, tail) = word.split_at(at);
        match (kind, tail.chars().next()) {
            (0, Some(_)) if !tail.starts_with(['\n', '\\']) => format!("{head}\\{tail}"),
            (1, _) => format!("{head}''{tail}"),
            (2, _) => format!("{head}\"{tail}\""),
            (3, Some(c)) => format!("{head}$'\\x{:02x}'{}", c as u32, &tail[c.len_utf8()..]),
            _ => word.to_owned(),
        }
    });
    prop_oneof![Just(word.to_owned()), quote]
}

fn wrapped(leaf: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = String> {
    leaf.prop_recursive(5, 12, 1, |inner| {
        (0..AROUND.len(), inner).prop_map(|(around, inner)| AROUND[around].replace('@', &inner))
    })
}

fn destruction() -> impl Strategy<Value = String> {
    (spelled("rm"), spelled("-rf"), spelled("/"), 0..4_u8).prop_map(|(rm, flag, path, wrapper)| {
        let command = format!("{rm} {flag} {path}");
        match wrapper {
            0 => format!("sudo -u root {command}"),
            1 => format!("env A=b nice -n 3 {command}"),
            2 => format!("timeout 3 xargs {command}"),
            _ => command,
        }
    })
}

/// Commands of every kind, most of them harmless.
fn any_command() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("ls"),
        Just("rm"),
        Just("-rf"),
        Just("/"),
        Just("git"),
        Just("push"),
        Just("--force"),
        Just("$x"),
        Just("\"$y\""),
        Just("*"),
        Just("src"),
        Just("target"),
        Just("~"),
        Just("A=b"),
        Just(">"),
        Just("out"),
        Just("sh"),
        Just("-c"),
        Just("'ls; rm x'"),
        Just("find"),
        Just("-exec"),
        Just("{}"),
        Just("\\;"),
        Just("curl"),
        Just("|"),
        Just("&&"),
        Just(";"),
        Just("xargs"),
        Just("2>&1"),
        Just("$(ls)"),
        Just("cargo"),
        Just("{a,b}"),
    ];
    prop::collection::vec(word, 1..10).prop_map(|words| words.join(" "))
}

/// Here-documents take the lines behind them: a text with one is not put into another.
fn is_nestable(text: &str) -> bool {
    text.matches("<<EOF").count() <= 1
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn destructive_commands_are_found_in_every_wrapper(command in wrapped(destruction())) {
        prop_assume!(is_nestable(&command));
        let verdict = ShellRules::default().judge(&command);
        // A here-document in the middle of a line may end elsewhere than it seems: such a text may be refused.
        let refused = verdict.is_unreadable();
        prop_assert!(verdict.decision == ShellDecision::Deny || refused && verdict.decision == ShellDecision::Ask, "{command}\n{}", verdict.explain(&command));
    }

    #[test]
    fn harmless_commands_pass_in_every_wrapper(command in wrapped(Just("ls -la src".to_owned()))) {
        // Bash refuses the first. The grammar refuses the next three, which bash reads.
        prop_assume!(!command.contains("| !") && !command.contains("| time") && !command.contains("! time") && !command.contains("time time") && !command.contains("<<EOF"));
        let verdict = ShellRules::default().judge(&command);
        prop_assert!(verdict.decision.passes(), "{command}\n{}", verdict.explain(&command));
    }

    #[test]
    fn no_generated_command_is_missing(command in wrapped(any_command())) {
        // The other grammar takes a compound command behind `!` or `time` for a simple one.
        prop_assume!(!command.contains("! ") && !command.contains("time "));
        // It also ends a here-document at a line that only begins with the delimiter.
        prop_assume!(!command.contains("EOF ") && !command.contains("EOF)"));
        super::comparison::assert_no_command_is_missing(&command);
    }

    #[test]
    fn an_additional_denial_never_allows_more(
        command in wrapped(any_command()),
        pattern in prop::option::of(prop::sample::select(vec!["ls", "rm -rf", "git push", "find *", "sh -c", "*", "cargo -x"])),
        kind in prop::option::of(prop::sample::select(EffectKind::ALL.to_vec())),
        object in prop::option::of(prop::sample::select(vec!["~*", "src", "*"])),
        allows in prop::option::of(prop::sample::select(vec!["ls", "git", "rm -rf *", "sh"])),
    ) {
        prop_assume!(pattern.is_some() || kind.is_some() || object.is_some());
        let rules = || allows.map(|allows| ShellRule::allow("before", "it may").command([allows]));
        let build = |rules: Vec<ShellRule>| rules.into_iter().fold(ShellRules::builder(), ShellRulesBuilder::rule).build().unwrap();
        let before = build(rules().into_iter().collect());
        let rule = ShellRule::deny("more", "a rule more").command(pattern).effect(kind).object(object);
        let after = build(rules().into_iter().chain([rule]).collect());
        prop_assert!(after.judge(&command).decision >= before.judge(&command).decision);
    }

    /// What a rule about one command lets run is this command, and not what stands around it.
    #[test]
    fn a_rule_about_one_command_lets_no_other_run(command in wrapped(destruction())) {
        prop_assume!(is_nestable(&command));
        let allowed = ["sudo", "env", "nice", "timeout", "xargs", "ls", "cat", "echo", "tee", "diff", "time", "f", "g"];
        let rule = ShellRule::allow("most", "they may").command(allowed);
        let verdict = ShellRules::builder().rule(rule).build().unwrap().judge(&command);
        prop_assert!(!verdict.decision.passes(), "{command}\n{}", verdict.explain(&command));
    }

    #[test]
    fn more_caution_never_allows_more(command in wrapped(any_command())) {
        prop_assert!(CAUTIOUS.judge(&command).decision >= ShellRules::default().judge(&command).decision);
    }

    #[test]
    fn any_text_has_a_verdict(text in "\\PC{0,60}") {
        let verdict = ShellRules::default().judge(&text);
        for judgement in &verdict.judgements {
            prop_assert!(text.get(judgement.range.clone()).is_some());
        }
        let _ = verdict.explain(&text).to_string();
    }
}
