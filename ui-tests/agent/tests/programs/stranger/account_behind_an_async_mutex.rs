//! What it shows: a tool without an async block, whose function holds a lock of tokio over a wait, in three calls at once.
use std::sync::Arc;
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Mutex;

#[derive(Deserialize)]
struct Deposit {
    cents: u64,
}

async fn deposit(account: Arc<Mutex<u64>>, args: Deposit) -> Result<String, OperationError> {
    let mut balance = account.lock().await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    *balance += args.cents;
    Ok(balance.to_string())
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[
        { "call": [
            { "tool": "deposit", "arguments": { "cents": 100 } },
            { "tool": "deposit", "arguments": { "cents": 200 } },
            { "tool": "deposit", "arguments": { "cents": 300 } }
        ] },
        { "say": "It is all there." }
    ]"#
    .parse()?;
    let account = Arc::new(Mutex::new(0));
    let shared = Arc::clone(&account);
    let tool = Tool::new("deposit", "Deposits.", json!({}), move |args| deposit(Arc::clone(&shared), args));
    Agent::builder("bank", model).tool(tool).build().run("Deposit my coins.").await?;
    assert_eq!(*account.lock().await, 600);
    Ok(())
}
