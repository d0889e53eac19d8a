//! The message should say: the function of a tool returns a future, and this one returns a `Result`: write
//! `|args: Sum| async move { … }`.
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Sum {
    numbers: Vec<f64>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel =
        r#"[{ "call": [{ "tool": "add", "arguments": { "numbers": [2, 2] } }] }, { "say": "It is 4." }]"#.parse()?;
    let add = Tool::new(
        "add",
        "Adds numbers.",
        json!({ "type": "object" }),
        |args: Sum| Ok::<_, OperationError>(args.numbers.iter().sum::<f64>().to_string()), // <- here
    );
    let agent = Agent::builder("calculator", model).tool(add).build();
    println!("{}", agent.run("What is 2 + 2?").await?.text);
    Ok(())
}
