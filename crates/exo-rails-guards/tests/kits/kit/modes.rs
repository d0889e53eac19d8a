//! The modes of guards in a kit.

use exo_rails::prelude::*;
use exo_rails::{EventBus, GuardSet};
use exo_rails_guards::Kit;
use serde_json::{Value, json};

const RULES: &str = "
    [permissions]
    default = 'allow'
    rules = [{ name = 'no-shell', tool = 'shell', decision = 'deny' }]
";

/// Makes a tool call, and returns whether it ran, and the records of the bus.
async fn call(rails: impl GuardSet) -> (bool, Vec<Value>) {
    let bus = EventBus::new(32);
    let (mut records, rails) = (bus.subscribe(), bus.wrap(rails));
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
    let call = ToolCallInputs::new("shell").with_arguments(json!({ "command": "ls" }));
    let output = rails.guard_tool_call(call, &mut RunContext::new("demo"), tool).await.unwrap();
    tokio::task::yield_now().await;
    let mut seen = Vec::new();
    while let Some(record) = futures_util::FutureExt::now_or_never(records.recv()).flatten() {
        let record = record.unwrap();
        if let Some(name) = &record.emitted {
            seen.push(json!({ "name": name, "data": record.payload["data"] }));
        }
    }
    (output.content == "done", seen)
}

#[tokio::test]
async fn the_weaker_mode_of_the_kit_and_of_the_guard_counts() {
    for (kit, guard, runs, reports) in [
        ("enforce", "enforce", false, vec!["finding"]),
        ("enforce", "shadow", true, vec!["shadow.finding", "shadow"]),
        ("enforce", "off", true, vec![]),
        ("shadow", "enforce", true, vec!["shadow.finding", "shadow"]),
        ("shadow", "off", true, vec![]),
        ("off", "enforce", true, vec![]),
    ] {
        let toml = format!("mode = '{kit}'\n{RULES}\nmode = '{guard}'");
        let (ran, seen) = call(Kit::from_toml(&toml).unwrap()).await;
        let names: Vec<_> = seen.iter().map(|record| record["name"].as_str().unwrap()).collect();
        assert_eq!((ran, names), (runs, reports), "{kit} {guard}: {seen:?}");
    }
}

#[tokio::test]
async fn a_whole_kit_in_shadow_reports_what_it_would_have_done() {
    let (ran, seen) = call(Kit::from_toml(RULES).unwrap().shadow()).await;
    assert!(ran);
    let shadow = seen.iter().find(|record| record["name"] == "shadow").unwrap();
    assert_eq!(shadow["data"]["rail_name"], "permissions");
    assert_eq!(shadow["data"]["how"], "skip");
}
