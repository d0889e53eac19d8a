//! What it shows: a function hides the model and the rails of an executor behind `impl`, and an own sink keeps a checkpoint.
use std::sync::{Arc, Mutex, PoisonError};

use exo_rails::prelude::*;
use exo_rails::{NoRails, ServesOperation};
use exo_rails_agent::{Model, ScriptedModel};
use exo_rails_machine::{BuildError, Checkpoint, Executor, MachineState, Node, StateSink, Transition, machine};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Bill {
    cents: u64,
}

machine! {
    machine Checkout {
        context bill: Bill;

        init Cart { -> Pay; }
        state Pay @checkpoint {
            reads bill { cents };
            -> Paid when bill.cents < 1_000;
            -> Refused;
        }
        end Paid;
        end Refused;
    }
}

#[derive(Default)]
struct Shelf {
    saved: u32,
    kept: Vec<Checkpoint>,
}

#[derive(Clone, Default)]
struct OnShelf(Arc<Mutex<Shelf>>);

impl OnShelf {
    fn with<T>(&self, read: impl FnOnce(&mut Shelf) -> T) -> T {
        read(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl StateSink for OnShelf {
    async fn save(&self, _: MachineState) -> Result<(), OperationError> {
        self.with(|shelf| shelf.saved += 1);
        Ok(())
    }

    async fn keep(&self, checkpoint: Checkpoint) -> Result<(), OperationError> {
        self.with(|shelf| shelf.kept.push(checkpoint));
        Ok(())
    }
}

fn executor(
    bill: Bill,
    sink: impl StateSink + 'static,
) -> Result<Executor<impl Model + 'static, impl GuardSet + ServesOperation<Transition> + 'static>, BuildError> {
    let model = "[]".parse::<ScriptedModel>().expect("the script is empty");
    Executor::builder(Checkout::machine(bill), model).rails(NoRails).save_to(sink).build()
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shelf = OnShelf::default();
    let executor = executor(Bill { cents: 5_000 }, shelf.clone())?;
    assert_eq!(executor.run().await?.ended_at, [checkout::Refused::PATH]);

    // The customer has a voucher, so the program goes back.
    let mut checkpoint = shelf.with(|shelf| shelf.kept.remove(0));
    assert_eq!((checkpoint.node.as_str(), checkpoint.visit), (checkout::Pay::PATH, 1));
    checkpoint.state.contexts_mut().set("bill", "cents", 500);
    let done = executor.resume(checkpoint.state)?.run().await?;
    assert_eq!(done.ended_at, [checkout::Paid::PATH]);
    assert!(shelf.with(|shelf| shelf.saved) > 2);
    Ok(())
}
