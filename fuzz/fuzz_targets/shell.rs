//! A text that a shell would run, and the shipped rule set.

#![no_main]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use exo_rails_guards::shell::{ShellDecision, ShellRules, ShellRule};
use libfuzzer_sys::fuzz_target;

/// Far more than a text of the allowed length takes, also with the instruments of the fuzzer.
const BOUND: Duration = Duration::from_secs(5);

static STRICTER: LazyLock<ShellRules> = LazyLock::new(|| {
    let rule = ShellRule::deny("no-x", "a rule more").program(["x", "ls"]);
    ShellRules::builder().rule(rule).build().expect("the rule makes sense")
});

static STRICT: LazyLock<ShellRules> =
    LazyLock::new(|| ShellRules::builder().strict(true).build().expect("the shipped rule set makes sense"));

fuzz_target!(|text: &str| {
    let rules = ShellRules::default();
    let begin = Instant::now();
    let verdict = rules.judge(text);
    assert!(begin.elapsed() < BOUND, "the judgement took {:?}", begin.elapsed());

    let strictest = verdict.judgements.iter().map(|judgement| judgement.decision).max().unwrap_or_default();
    assert_eq!(verdict.decision, strictest);
    for judgement in &verdict.judgements {
        assert!(judgement.range.start <= judgement.range.end && judgement.range.end <= text.len());
        let refused =
            matches!(&*judgement.rule, "unreadable" | "too-long" | "too-deep" | "hidden-character" | "continuation");
        assert!(!refused || !judgement.decision.passes());
        assert!(!judgement.depends_on_unknown || !judgement.decision.passes());
    }
    for command in &verdict.commands {
        assert!(command.range.end <= text.len());
        // A program that is not known is never run without a question.
        let unknown = command.words.first().is_some_and(|word| word.value().is_none());
        assert!(!unknown || verdict.decision != ShellDecision::Allow);
    }
    let _ = verdict.explain(text).to_string();
    // What stands around a text does not make it milder.
    if verdict.decision == ShellDecision::Deny {
        let grouped = rules.judge(&format!("true\n{text}"));
        assert!(!grouped.decision.passes(), "with a command in front: {}", grouped.decision);
    }
    assert!(STRICTER.judge(text).decision >= verdict.decision);
    assert!(STRICT.judge(text).decision >= verdict.decision);
});
