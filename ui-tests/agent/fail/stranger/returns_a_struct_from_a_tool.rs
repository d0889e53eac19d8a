//! The message should say: a tool returns text, JSON or a `ToolOutput`, and `Stock` is none of them: write
//! `ToolOutput::json(&stock)`.
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Deserialize)]
struct StockQuery {
    article: String,
}

#[derive(Serialize)]
struct Stock {
    article: String,
    left: u32,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel =
        r#"[{ "call": [{ "tool": "stock", "arguments": { "article": "lamp" } }] }, { "say": "Three lamps are left." }]"#.parse()?;
    let stock = Tool::new("stock", "Counts an article.", json!({ "type": "object" }), |query: StockQuery| async move {
        Ok::<_, OperationError>(Stock { article: query.article, left: 3 }) // <- here
    });
    let agent = Agent::builder("warehouse", model).tool(stock).build();
    println!("{}", agent.run("How many lamps are left?").await?.text);
    Ok(())
}
