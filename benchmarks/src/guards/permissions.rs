//! Figures of the guard of permissions: the cost of a decision, and the false alarms on the calls of tau-bench.
//!
//! The argument is the directory of a checkout of tau-bench.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use exo_rails::ToolCallInputs;
use exo_rails_guards::permissions::{Condition, PermissionRule, Permissions, PermissionsConfig, Source};
use serde_json::{Value, json};

/// A policy for an airline desk: it may look everything up, report each change, and ask where the desk has to.
const AIRLINE: &str = r#"
    default = "ask"
    rules = [
        { tool = ["get_*", "search_*", "list_*", "calculate", "think", "transfer_to_human_agents"], decision = "allow" },
        { tool = ["book_reservation", "cancel_reservation", "update_reservation_*"], decision = "notify" },
        { tool = "book_reservation", arguments = { "/passengers/5" = { exists = true } }, decision = "deny", because = "a reservation has at most five passengers" },
        { tool = "send_certificate", arguments = { amount = { max = 500 } }, decision = "notify" },
        { tool = "*", arguments = { "/payment_id" = { glob = "* *", if_missing = "no-match" } }, decision = "deny", because = "an id has no spaces" },
    ]
"#;

fn rules(count: usize) -> Permissions {
    let mut builder = Permissions::builder();
    for number in 0..count {
        let rule = match number % 4 {
            0 => PermissionRule::allow(format!("tool_{number}")),
            1 => PermissionRule::ask(format!("tool_{number}")).argument("amount", Condition::min(100.0)),
            2 => PermissionRule::deny(format!("mcp__server_{number}__*")),
            _ => PermissionRule::deny("read_file").path(format!("/secret/{number}/**")),
        };
        builder = builder.rule(Source::Global, rule);
    }
    builder.rule(Source::Global, PermissionRule::allow("read_file").path("/work/**")).build().expect("the rules are correct")
}

fn median_ns(guard: &Permissions, call: &ToolCallInputs) -> u128 {
    let mut times: Vec<u128> = (0..101)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..100 {
                black_box(guard.judge(black_box(call)));
            }
            start.elapsed().as_nanos() / 100
        })
        .collect();
    times.sort_unstable();
    times[50]
}

fn main() {
    let read = ToolCallInputs::new("read_file").with_arguments(json!({ "path": "/work/app/src/main.rs", "limit": 100 }));
    let other = ToolCallInputs::new("tool_4").with_arguments(json!({ "amount": 5 }));
    for count in [10, 100, 1000] {
        let guard = rules(count);
        println!("{count} rules: read_file {} ns, other tool {} ns", median_ns(&guard, &read), median_ns(&guard, &other));
    }
    let shell = ToolCallInputs::new("bash").with_arguments(json!({ "command": "cargo test --workspace 2>&1 | tail -20" }));
    println!("shell command: {} ns", median_ns(&rules(10), &shell));

    let Some(directory) = std::env::args().nth(1) else { return };
    let text = std::fs::read_to_string(format!("{directory}/historical_trajectories/gpt-4o-airline.json")).expect("the file is there");
    let runs: Vec<Value> = serde_json::from_str(&text).expect("the file is JSON");
    let guard = Permissions::new(PermissionsConfig::from_toml(AIRLINE).expect("the policy is TOML")).expect("the policy is correct");
    let mut counts: BTreeMap<(bool, String), usize> = BTreeMap::new();
    for run in &runs {
        let is_solved = run["reward"].as_f64() == Some(1.0);
        for message in run["traj"].as_array().into_iter().flatten() {
            for asked in message["tool_calls"].as_array().into_iter().flatten() {
                let arguments = asked["function"]["arguments"].as_str().unwrap_or_default();
                let arguments = serde_json::from_str(arguments).unwrap_or_else(|_| arguments.into());
                let call = ToolCallInputs::new(asked["function"]["name"].as_str().unwrap_or_default()).with_arguments(arguments);
                let decision = guard.judge(&call);
                if !decision.permission.passes() {
                    println!("solved {is_solved}: {}", guard.explain(&call));
                }
                *counts.entry((is_solved, decision.permission.to_string())).or_default() += 1;
            }
        }
    }
    for ((is_solved, permission), count) in counts {
        println!("solved {is_solved}, {permission}: {count} calls");
    }
}
