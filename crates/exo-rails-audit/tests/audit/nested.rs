//! An agent in a tool of another agent, with the same log.

use exo_rails::NoRails;
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use exo_rails_audit::{Audit, verify};
use serde_json::{Value, json};
use std::sync::Arc;

#[tokio::test]
async fn one_log_has_the_calls_of_both_agents_under_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let audit = Audit::new(Audit::builder().path(&path)).unwrap();
    let model = |script: Value| -> ScriptedModel { script.to_string().parse().unwrap() };
    let pay =
        Tool::new("pay", "Pays.", json!({ "type": "object" }), |_: Value| async { Ok::<_, OperationError>("paid") });
    let inner = model(json!([{ "call": [{ "tool": "pay" }] }, { "say": "done" }]));
    let inner = Arc::new(Agent::builder("inner", inner).tool(pay).rails(audit.wrap(NoRails)).build());
    let delegate = Tool::with_permit("delegate", "Runs an agent.", json!({ "type": "object" }), move |call| {
        let inner = Arc::clone(&inner);
        async move {
            let output = inner.run_in("Pay.", &mut call.context()).await;
            output.map(|output| output.text).map_err(OperationError::from)
        }
    });
    let outer = model(json!([{ "call": [{ "tool": "delegate" }] }, { "say": "done" }]));
    let outer = Agent::builder("outer", outer).tool(delegate).rails(audit.wrap(NoRails)).build();
    outer.run("Help me.").await.unwrap();
    audit.close().await.unwrap();
    assert!(verify(&path).unwrap().is_closed);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let calls: Vec<&Value> = lines.iter().filter(|line| line.to_string().contains("pre_tool_call")).collect();
    assert_eq!(calls.len(), 2, "{text}");
    let runs: std::collections::BTreeSet<&str> =
        lines.iter().filter_map(|line| line["event"]["run"].as_str()).collect();
    assert_eq!(runs.len(), 1, "{text}");
}
