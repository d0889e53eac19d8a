//! The message should say: `Notes` is not a memory, and what is one.

use exo_rails::NoRails;
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model};

struct Notes(Vec<String>);

async fn answer(model: impl Model) -> Result<InvokeOutput, RunError> {
    let agent = Agent::builder("support", model).rails(NoRails).memory(Notes(Vec::new())).build();
    Ok(agent.run("hello").await?)
}

fn main() {
    let _ = answer("[]".parse::<exo_rails_agent::ScriptedModel>().unwrap());
}
