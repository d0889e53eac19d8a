//! The message should say: the function of a tool takes one argument, and `transfer` takes three: write a struct with
//! `#[derive(Deserialize)]` and the fields `from`, `to` and `cents`, and take it.
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde_json::json;

async fn transfer(from: String, to: String, cents: u64) -> Result<String, OperationError> {
    if from == to {
        return Err("the accounts are the same".into());
    }
    Ok(format!("{cents} cents went from {from} to {to}"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "say": "Ada has her money." }]"#.parse()?;
    let properties = json!({ "from": { "type": "string" }, "to": { "type": "string" }, "cents": { "type": "integer" } });
    let schema = json!({ "type": "object", "properties": properties, "required": ["from", "to", "cents"] });
    let agent = Agent::builder("bank", model)
        .tool(Tool::new("transfer", "Moves money.", schema, transfer)) // <- here
        .build();
    println!("{}", agent.run("Send Ada five euros.").await?.text);
    Ok(())
}
