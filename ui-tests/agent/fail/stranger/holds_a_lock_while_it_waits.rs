//! The message should say: the tool holds the guard of a `std::sync::Mutex` while it waits, and such a guard cannot go to another
//! thread: drop it before the `.await`, or use `tokio::sync::Mutex`.
use std::sync::{Arc, Mutex};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Booking {
    cents: i64,
}

fn booking_tool(ledger: Arc<Mutex<Vec<i64>>>) -> Tool {
    Tool::new("book", "Books an amount.", json!({ "type": "object" }), move |args: Booking| {
        let ledger = Arc::clone(&ledger);
        async move {
            let mut entries = ledger.lock().map_err(|_| OperationError::from("the ledger is broken"))?; // <- here
            entries.push(args.cents);
            tokio::time::sleep(Duration::from_millis(5)).await;
            Ok::<_, OperationError>(format!("{} entries", entries.len()))
        }
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "call": [{ "tool": "book", "arguments": { "cents": 5 } }] }, { "say": "Booked." }]"#.parse()?;
    let ledger = Arc::new(Mutex::new(Vec::new()));
    let agent = Agent::builder("bookkeeper", model).tool(booking_tool(ledger.clone())).build();
    println!("{}", agent.run("Book five cents.").await?.text);
    Ok(())
}
