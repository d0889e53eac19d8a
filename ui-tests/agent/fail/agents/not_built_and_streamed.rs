//! The message should say: write `.build()`.

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model};

async fn answer(model: impl Model) {
    let agent = Agent::builder("support", model).instructions("Be brief.");
    let mut events = agent.stream("hello");
    while let Some(Ok(event)) = events.next().await {
        println!("{event:?}");
    }
}

fn main() {
    let _ = answer("[]".parse::<exo_rails_agent::ScriptedModel>().unwrap());
    let _ = RunContext::new("support");
}
