//! Figures of the guard of permissions: the cost of a decision, and the false alarms on the calls of tau-bench.
//!
//! ```console
//! $ cargo run --release -p benchmarks --features guards --bin permission_figures -- --corpora DIR
//! ```
//!
//! `DIR` has a copy of the repository `sierra-research/tau-bench` (MIT) in a folder `tau-bench`. Without `--corpora`, the
//! program only measures times.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use exo_rails::ToolCallInputs;
use exo_rails_guards::ConfigError;
use exo_rails_guards::permissions::{Condition, PermissionRule, Permissions, PermissionsConfig, Source};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

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

fn rules(count: usize) -> Result<Permissions, ConfigError> {
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
    builder.rule(Source::Global, PermissionRule::allow("read_file").path("/projects/**")).build()
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

fn main() -> Result<(), Failure> {
    let mut corpora: Option<PathBuf> = None;
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("corpora") => corpora = Some(arguments.value()?.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    times()?;
    corpora.map_or(Ok(()), |corpora| false_alarms(&corpora))
}

fn times() -> Result<(), Failure> {
    let read =
        ToolCallInputs::new("read_file").with_arguments(json!({ "path": "/projects/app/src/main.rs", "limit": 100 }));
    let other = ToolCallInputs::new("tool_4").with_arguments(json!({ "amount": 5 }));
    for count in [10, 100, 1000] {
        let guard = rules(count)?;
        println!(
            "{count} rules: read_file {} ns, other tool {} ns",
            median_ns(&guard, &read),
            median_ns(&guard, &other)
        );
    }
    let shell =
        ToolCallInputs::new("bash").with_arguments(json!({ "command": "cargo test --workspace 2>&1 | tail -20" }));
    println!("shell command: {} ns", median_ns(&rules(10)?, &shell));
    Ok(())
}

/// Prints the calls of tau-bench that the policy does not let pass, and counts the decisions.
fn false_alarms(corpora: &Path) -> Result<(), Failure> {
    let text = fs::read_to_string(corpora.join("tau-bench/historical_trajectories/gpt-4o-airline.json"))?;
    let runs: Vec<Value> = serde_json::from_str(&text)?;
    let guard = Permissions::new(PermissionsConfig::from_toml(AIRLINE)?)?;
    let mut counts: BTreeMap<(bool, String), usize> = BTreeMap::new();
    for run in &runs {
        let is_solved = run["reward"].as_f64() == Some(1.0);
        for message in run["traj"].as_array().into_iter().flatten() {
            for asked in message["tool_calls"].as_array().into_iter().flatten() {
                let arguments = asked["function"]["arguments"].as_str().unwrap_or_default();
                let arguments = serde_json::from_str(arguments).unwrap_or_else(|_| arguments.into());
                let call = ToolCallInputs::new(asked["function"]["name"].as_str().unwrap_or_default())
                    .with_arguments(arguments);
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
    Ok(())
}
