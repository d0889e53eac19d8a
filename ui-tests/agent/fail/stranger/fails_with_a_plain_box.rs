//! The message should say: the error of a tool goes to other threads, and `Box<dyn Error>` cannot: write
//! `Box<dyn Error + Send + Sync>`.
use std::error::Error;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Meter {
    number: u32,
}

async fn read_meter(meter: Meter) -> Result<String, Box<dyn Error>> {
    let text = std::fs::read_to_string(format!("/var/meters/{}", meter.number))?;
    Ok(format!("{} kWh", text.trim().parse::<f64>()?))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let model: ScriptedModel = r#"[{ "say": "You have used 12 kWh." }]"#.parse()?;
    let meter = Tool::new(
        "read_meter",
        "Reads a meter.",
        json!({ "type": "object" }),
        read_meter, // <- here
    );
    let agent = Agent::builder("energy", model).tool(meter).build();
    println!("{}", agent.run("How much have I used?").await?.text);
    Ok(())
}
