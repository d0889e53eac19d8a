//! A text that a shell would run: read, lowered, judged and explained.

#![no_main]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use exo_rails_guards::shell::{ShellDecision, ShellRule, ShellRules};
use libfuzzer_sys::fuzz_target;

/// Far more than a text of the allowed length takes, also with the instruments of the fuzzer.
const BOUND: Duration = Duration::from_secs(5);

static STRICTER: LazyLock<ShellRules> = LazyLock::new(|| {
    let rule = ShellRule::deny("no-x", "a rule more").command(["x", "ls -l", "git push --force"]).object(["~*"]);
    ShellRules::builder().rule(rule).build().expect("the rule makes sense")
});

fuzz_target!(|text: &str| {
    let rules = ShellRules::default();
    let begin = Instant::now();
    let verdict = rules.judge(text);
    assert!(begin.elapsed() < BOUND, "the judgement took {:?}", begin.elapsed());

    let strictest = verdict.judgements.iter().map(|judgement| judgement.decision).max().unwrap_or_default();
    assert_eq!(verdict.decision, strictest);
    assert!(!verdict.is_unreadable() || !verdict.decision.passes());
    for judgement in &verdict.judgements {
        assert!(text.get(judgement.range.clone()).is_some());
    }
    for effect in &verdict.effects {
        assert!(text.get(effect.span.clone()).is_some());
        assert!(effect.command.is_none_or(|number| number < verdict.commands.len()));
    }
    for (number, command) in verdict.commands.iter().enumerate() {
        assert!(text.get(command.range.clone()).is_some());
        assert!(command.inside.is_none_or(|outer| outer < number));
    }
    let _ = verdict.explain(text).to_string();
    // What stands around a text does not make it milder.
    if verdict.decision == ShellDecision::Deny {
        let grouped = rules.judge(&format!("true\n{text}"));
        assert!(!grouped.decision.passes(), "with a command in front: {}", grouped.decision);
    }
    assert!(STRICTER.judge(text).decision >= verdict.decision);
});
