//! The guard of permissions: the cost of a decision, and the false alarms on the calls of tau-bench.

use std::collections::BTreeMap;

use exo_rails::ToolCallInputs;
use exo_rails_guards::ConfigError;
use exo_rails_guards::permissions::{ArgumentCondition, PermissionRule, Permissions, PermissionsConfig, Source};
use serde_json::json;

use crate::Failure;
use crate::corpora::Corpora;
use crate::tau_bench::{self, Recorded};
use crate::time::median;

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
            1 => PermissionRule::ask(format!("tool_{number}")).argument("amount", ArgumentCondition::min(100.0)),
            2 => PermissionRule::deny(format!("mcp__server_{number}__*")),
            _ => PermissionRule::deny("read_file").path(format!("/secret/{number}/**")),
        };
        builder = builder.rule(Source::Global, rule);
    }
    builder.rule(Source::Global, PermissionRule::allow("read_file").path("/projects/**")).build()
}

pub(crate) fn measure(corpora: Option<&Corpora>) -> Result<(), Failure> {
    times()?;
    corpora.map_or(Ok(()), false_alarms)
}

fn times() -> Result<(), Failure> {
    let read =
        ToolCallInputs::new("read_file").with_arguments(json!({ "path": "/projects/app/src/main.rs", "limit": 100 }));
    let other = ToolCallInputs::new("tool_4").with_arguments(json!({ "amount": 5 }));
    for count in [10, 100, 1000] {
        let guard = rules(count)?;
        let [read, other] = [&read, &other].map(|call| median(|| guard.judge(call)));
        println!("{count} rules: read_file {read}, other tool {other}");
    }
    let shell =
        ToolCallInputs::new("bash").with_arguments(json!({ "command": "cargo test --workspace 2>&1 | tail -20" }));
    let guard = rules(10)?;
    println!("10 rules: shell command {}", median(|| guard.judge(&shell)));
    Ok(())
}

/// Prints the calls of tau-bench that the policy does not let pass, and counts the decisions.
fn false_alarms(corpora: &Corpora) -> Result<(), Failure> {
    let guard = Permissions::new(PermissionsConfig::from_toml(AIRLINE)?)?;
    let mut counts: BTreeMap<(bool, String), usize> = BTreeMap::new();
    for Recorded { call, is_solved } in tau_bench::calls(corpora)? {
        let decision = guard.judge(&call);
        if !decision.permission.passes() {
            println!("solved {is_solved}: {}", guard.explain(&call));
        }
        *counts.entry((is_solved, decision.permission.to_string())).or_default() += 1;
    }
    for ((is_solved, permission), count) in counts {
        println!("solved {is_solved}, {permission}: {count} calls");
    }
    Ok(())
}
