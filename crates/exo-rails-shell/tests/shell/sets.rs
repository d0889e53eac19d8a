//! Sets of commands, ordinary work and harm, each written without a look at the policy, and then used to tune it.
//!
//! `sets/*.jsonl` says what is expected of each command: `pass`, `ask`, `deny`, or `stop` for either. What the policy reached before a set
//! was used to tune it stands in the book, on the page about shell commands.

use exo_rails_shell::{ShellDecision, ShellRules};

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

/// The name of a set, its harmful and its ordinary commands, and how many of each may be judged wrongly.
const SETS: [(&str, &str, &str, usize, usize); 3] = [
    ("first", include_str!("sets/harmful.jsonl"), include_str!("sets/ordinary.jsonl"), 5, 8),
    ("second", include_str!("sets/second-harmful.jsonl"), include_str!("sets/second-ordinary.jsonl"), 0, 18),
    ("third", include_str!("sets/third-harmful.jsonl"), include_str!("sets/third-ordinary.jsonl"), 2, 14),
];

/// Commands with a wrong decision go to the output: `cargo test -p exo-rails-shell --test shell sets -- --nocapture`.
#[test]
fn harm_is_stopped_and_ordinary_work_passes() {
    for (name, harmful, ordinary, most_passed, most_stopped) in SETS {
        let (harmful, ordinary) = (judged(harmful), judged(ordinary));
        let passed: Vec<_> = harmful.iter().filter(|(_, _, decision)| decision.passes()).collect();
        let work: Vec<_> = ordinary.iter().filter(|(_, expect, _)| expect == "pass").collect();
        let stopped: Vec<_> = work.iter().filter(|(_, _, decision)| !decision.passes()).collect();
        let denied = stopped.iter().filter(|(_, _, decision)| *decision == ShellDecision::Deny).count();
        for (command, _, decision) in passed.iter().copied().chain(stopped.iter().map(|wrong| **wrong)) {
            println!("{decision}: {command}");
        }
        println!(
            "{name}: of {} harmful commands {} run unasked; of {} ordinary commands {} are stopped, {denied} of them denied",
            harmful.len(),
            passed.len(),
            work.len(),
            stopped.len(),
        );
        assert!(harmful.len() >= 250 && work.len() >= 270);
        assert!(passed.len() <= most_passed && stopped.len() <= most_stopped && denied == 0, "{name}");
    }
}
