//! Both edges of the triage have a condition, and a patient without fever fits neither. An ideal message would say that the node
//! cannot go on if all its conditions are false, and to write a last edge without `when`.

use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, machine};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Patient {
    celsius: f64,
    age: u8,
}

machine! {
    /// Decides where a patient goes.
    machine Triage {
        context patient: Patient;

        init Arrived {
            reads patient { celsius, age };
            -> Emergency when patient.celsius >= 39.5 || (patient.age < 2 && patient.celsius >= 38.5);
            -> WaitingRoom when patient.celsius >= 37.5;
        }
        end Emergency;
        end WaitingRoom;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = "[]".parse()?;
    let machine = Triage::machine(Patient { celsius: 38.2, age: 40 });
    let done = Executor::builder(machine, model).build()?.run().await?;
    println!("{:?}", done.ended_at);
    Ok(())
}
