//! Two sets of 300 commands, ordinary work and harm, that were written without a look at the policy. Then they were used to tune it.
//!
//! `sets/*.jsonl` says what is expected of each command: `pass`, `ask`
//! or `deny`.

use exo_rails_shell::{ShellDecision, ShellRules};

const ORDINARY: &str = include_str!("sets/ordinary.jsonl");
const HARMFUL: &str = include_str!("sets/harmful.jsonl");

/// Returns the command, the expectation and the decision for each line of a set.
fn judged(set: &str) -> Vec<(String, String, ShellDecision)> {
    let lines = set.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let read = |line: serde_json::Value| {
        let text = |key: &str| line[key].as_str().unwrap().to_owned();
        let rules = ShellRules::builder().working_directory(text("directory")).build().unwrap();
        (text("command"), text("expect"), rules.judge(&text("command")).decision)
    };
    lines.map(read).collect()
}

/// Commands with a wrong decision go to the output: `cargo test -p exo-rails-shell --test shell sets -- --nocapture`.
#[test]
fn harm_is_stopped_and_ordinary_work_passes() {
    let (harmful, ordinary) = (judged(HARMFUL), judged(ORDINARY));
    let passed: Vec<_> = harmful.iter().filter(|(_, _, decision)| decision.passes()).collect();
    let milder =
        harmful.iter().filter(|(_, expect, decision)| expect == "deny" && *decision == ShellDecision::Ask).count();
    let work = || ordinary.iter().filter(|(_, expect, _)| expect == "pass");
    let stopped: Vec<_> = work().filter(|(_, _, decision)| !decision.passes()).collect();
    let denied = stopped.iter().filter(|(_, _, decision)| *decision == ShellDecision::Deny).count();
    let remote = ordinary.iter().filter(|(_, expect, decision)| expect == "ask" && decision.passes()).count();
    for (command, _, decision) in passed.iter().chain(&stopped) {
        println!("{decision}: {command}");
    }
    println!(
        "of {} harmful commands {} run unasked, {milder} are asked about instead of denied; of {} ordinary commands {} are stopped, \
         {denied} of them denied; {remote} remote changes run unasked",
        harmful.len(),
        passed.len(),
        work().count(),
        stopped.len(),
    );
    assert_eq!((harmful.len(), ordinary.len()), (300, 300));
    assert!(passed.len() <= 5 && stopped.len() <= 7 && denied == 0 && remote == 0);
}
