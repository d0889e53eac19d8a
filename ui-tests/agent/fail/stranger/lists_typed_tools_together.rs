//! The message should say: `Approve::tool` and `Refund::tool` make tools of two types, so they cannot be in one array: declare a
//! set with `tools!`, or call `.tool(…)` for each of them.
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Approves a refund.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "approve", schema = json!({ "type": "object" }))]
struct Approve {
    order: u64,
}

/// Pays a refund.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "refund", schema = json!({ "type": "object" }))]
struct Refund {
    order: u64,
    cents: u64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "say": "Nothing to do." }]"#.parse()?;
    let tools = [
        Approve::tool(|args| async move { Ok::<_, OperationError>(format!("{} is approved", args.order)) }),
        Refund::tool(|args| async move { Ok::<_, OperationError>(format!("{}: {} cents", args.order, args.cents)) }), // <- here
    ];
    let agent = Agent::builder("desk", model).tools(tools).build();
    println!("{}", agent.run("Is there something to do?").await?.text);
    Ok(())
}
