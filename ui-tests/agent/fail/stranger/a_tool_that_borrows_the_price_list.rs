//! The async closure of the tool borrows the local price list, and a tool must own what it uses. An ideal message would point at
//! the borrowed `prices`, and say to write `async move`, with an `Arc` around what the calls share.

use std::collections::HashMap;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Item {
    name: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prices = HashMap::from([("bread", 3.2), ("butter", 2.9)]);
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    let price = Tool::new("price", "Says what an item costs.", schema, async |item: Item| {
        let euros = prices.get(item.name.as_str()).ok_or("the bakery does not sell it")?;
        Ok::<_, OperationError>(format!("{euros} euros"))
    });
    let model: ScriptedModel = r#"[
        { "call": [{ "tool": "price", "arguments": { "name": "bread" } }] },
        { "say": "A bread is 3.20." }
    ]"#
    .parse()?;
    let agent = Agent::builder("bakery", model).tool(price).build();
    println!("{}", agent.run("How much is a bread?").await?.text);
    Ok(())
}
