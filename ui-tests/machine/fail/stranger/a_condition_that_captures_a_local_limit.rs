//! The condition reads `limit`, a local variable of `main`, and a condition is a function of the contexts. An ideal message would
//! say that a condition cannot capture variables: make the limit a constant, or a field of a context.

use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, machine};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Loan {
    euros: f64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let limit: f64 = match std::env::var("LOAN_LIMIT") {
        Ok(text) => text.parse()?,
        Err(_) => 5_000.0,
    };

    machine! {
        machine Credit {
            context loan: Loan;

            init Asked {
                reads loan { euros };
                -> Granted when loan.euros <= limit;
                -> Committee;
            }
            end Granted;
            end Committee;
        }
    }

    let model: ScriptedModel = "[]".parse()?;
    let done = Executor::builder(Credit::machine(Loan { euros: 1_200.0 }), model).build()?.run().await?;
    println!("a loan of up to {limit} euros: {:?}", done.ended_at);
    Ok(())
}
