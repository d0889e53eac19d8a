//! The message should say: all runs share the model, and threads cannot share a `Cell<u32>`: count in an `AtomicU32`.
use std::cell::Cell;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model};

/// Answers with a number that grows.
struct Counter {
    calls: Cell<u32>,
}

impl Model for Counter { // <- here
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        self.calls.set(self.calls.get() + 1);
        Ok(ModelResponse::text(format!("{}: {} messages", self.calls.get(), request.messages.len())))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let agent = Agent::builder("counter", Counter { calls: Cell::new(0) }).build();
    for question in ["Count!", "Once more!"] {
        println!("{}", agent.run(question).await?.text);
    }
    Ok(())
}
