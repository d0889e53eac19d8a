//! The message should say: there is no `limit` where the condition runs: a condition reads contexts and constants. Put the limit
//! into a context, or write a `const`.
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, machine};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Invoice {
    cents: u64,
}

machine! {
    machine Payment {
        context invoice: Invoice;

        init Received {
            reads invoice { cents };
            -> Paid when invoice.cents <= limit; // <- here
            -> Held;
        }
        end Paid;
        end Held;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let limit: u64 = std::env::var("LIMIT").ok().and_then(|limit| limit.parse().ok()).unwrap_or(10_000);
    let model: ScriptedModel = "[]".parse()?;
    let done = Executor::builder(Payment::machine(Invoice { cents: 2_500 }), model).build()?.run().await?;
    println!("with the limit {limit}: {:?}", done.ended_at);
    Ok(())
}
