//! The message should say: a guard set may not guard transitions, and the executor of a machine needs one that does: write
//! `impl<R: GuardSet + ServesOperation<Transition> + 'static> Host<R>`.
use exo_rails::prelude::*;
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, Stopped, machine};

machine! {
    pub machine Elevator {
        init Below { -> Above; }
        end Above;
    }
}

struct Host<R> {
    executor: Executor<ScriptedModel, R>,
}

impl<R: GuardSet + 'static> Host<R> {
    async fn ride(&self) -> Result<usize, Box<Stopped>> {
        let done = self.executor.run().await.map_err(Box::new)?; // <- here
        Ok(done.history.steps.len())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = "[]".parse()?;
    let host = Host { executor: Executor::builder(Elevator::machine(), model).build()? };
    println!("{} steps", host.ride().await?);
    Ok(())
}
