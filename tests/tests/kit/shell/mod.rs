//! The shipped policy for shell commands, against the work of developers and against attacks.

mod attacks;
mod harmless;

use exo_rails_guards::shell::{ShellDecision, ShellPolicy};

#[test]
fn the_usual_work_of_developers_passes() {
    let policy = ShellPolicy::default();
    let explained = |command: &&str| {
        let verdict = policy.judge(command);
        (!verdict.decision.passes()).then(|| format!("{command}\n{}", verdict.explain(command)))
    };
    let asked: Vec<String> = harmless::HARMLESS.iter().filter_map(explained).collect();
    assert!(asked.is_empty(), "{} of {}:\n{}", asked.len(), harmless::HARMLESS.len(), asked.join("\n"));
}

#[test]
fn attacks_do_not_pass() {
    let policy = ShellPolicy::default();
    let passed: Vec<&&str> = attacks::ATTACKS.iter().filter(|command| policy.judge(command).decision.passes()).collect();
    assert!(passed.is_empty(), "{} of {}: {passed:#?}", passed.len(), attacks::ATTACKS.len());
}
