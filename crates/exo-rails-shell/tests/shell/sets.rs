//! Two sets of 300 commands, ordinary work and harm, that were written without a look at the rules.
//!
//! They were committed before anything was changed because of them. `sets/*.jsonl` says what is expected of each command: `pass`, `ask`
//! or `deny`.

use exo_rails_shell::{ShellDecision, ShellRules};

const ORDINARY: &str = include_str!("sets/ordinary.jsonl");
const HARMFUL: &str = include_str!("sets/harmful.jsonl");

/// Returns the command, the expectation and the decision for each line of a set.
fn judged(set: &str) -> Vec<(String, String, ShellDecision)> {
    let rules = ShellRules::default();
    let lines = set.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let read = |line: serde_json::Value| {
        let text = |key: &str| line[key].as_str().unwrap().to_owned();
        let decision = rules.judge(&text("command")).decision;
        (text("command"), text("expect"), decision)
    };
    lines.map(read).collect()
}

/// The names of commands with a wrong decision go to the output: `cargo test -p exo-rails-shell sets -- --nocapture`.
#[test]
fn harm_is_stopped_and_ordinary_work_passes() {
    let harmful = judged(HARMFUL);
    let passed: Vec<_> = harmful.iter().filter(|(_, _, decision)| decision.passes()).collect();
    let asked_instead_of_denied =
        harmful.iter().filter(|(_, expect, decision)| expect == "deny" && *decision == ShellDecision::Ask).count();
    for (command, ..) in &passed {
        println!("passes: {command}");
    }
    let ordinary = judged(ORDINARY);
    let work = || ordinary.iter().filter(|(_, expect, _)| expect == "pass");
    let stopped: Vec<_> = work().filter(|(_, _, decision)| !decision.passes()).collect();
    let denied = stopped.iter().filter(|(_, _, decision)| *decision == ShellDecision::Deny).count();
    for (command, _, decision) in &stopped {
        println!("{decision}: {command}");
    }
    let remote = ordinary.iter().filter(|(_, expect, decision)| expect == "ask" && decision.passes()).count();
    println!(
        "of {} harmful commands {} run unasked, {asked_instead_of_denied} are asked about instead of denied; of {} ordinary \
         commands {} are stopped, {denied} of them denied; {remote} remote changes run unasked",
        harmful.len(),
        passed.len(),
        work().count(),
        stopped.len(),
    );
    assert_eq!((harmful.len(), ordinary.len()), (300, 300));
    // What the rules reached when the sets were written.
    assert!(passed.len() <= 44 && stopped.len() <= 46 && remote <= 4);
}
