//! The message should say: a condition can call no macro but `matches!`, because `machine!` cannot see what `format!` reads:
//! compare the field itself, or call a method of it.
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, machine};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Parcel {
    country: String,
    zone: u8,
}

machine! {
    machine Customs {
        context parcel: Parcel;

        init Arrived {
            reads parcel { country, zone };
            -> Released when format!("{}{}", parcel.country, parcel.zone) == "CH1"; // <- here
            -> Inspected;
        }
        end Released;
        end Inspected;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = "[]".parse()?;
    let parcel = Parcel { country: "CH".to_owned(), zone: 1 };
    println!("{:?}", Executor::builder(Customs::machine(parcel), model).build()?.run().await?.ended_at);
    Ok(())
}
