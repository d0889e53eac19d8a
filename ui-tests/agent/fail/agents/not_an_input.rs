//! The message should say: a run takes a text.

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model};

async fn answer(model: impl Model, order: u32) -> Result<InvokeOutput, RunError> {
    let agent = Agent::builder("support", model).build();
    Ok(agent.run(order).await?)
}

fn main() {}
