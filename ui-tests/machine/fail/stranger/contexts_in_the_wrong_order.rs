//! The message should say: `Loan::machine` takes the first values in the order in which the machine declares its contexts: first
//! `applicant: Applicant`, then `offer: Offer`.
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, machine};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Applicant {
    income: u64,
}

#[derive(Serialize, Deserialize)]
struct Offer {
    rate: f64,
}

machine! {
    machine Loan {
        context applicant: Applicant;
        context offer: Offer;

        init Asked {
            reads applicant { income };
            -> Granted when applicant.income > 3_000;
            -> Refused;
        }
        state Granted {
            reads offer { rate };
            -> Signed when offer.rate < 5.0;
            -> Refused;
        }
        end Signed;
        end Refused;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = "[]".parse()?;
    let (applicant, offer) = (Applicant { income: 4_000 }, Offer { rate: 3.5 });
    let machine = Loan::machine(offer, applicant); // <- here
    println!("{:?}", Executor::builder(machine, model).build()?.run().await?.ended_at);
    Ok(())
}
