//! The model takes `&mut self` in `call`, to pop its next reply. An ideal message would say that a model takes `&self`, because
//! all runs of an agent share it, and that state that changes belongs into a `Mutex`.

use std::collections::VecDeque;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model};

/// Stands in for the prompter of a theatre.
struct Prompter {
    lines: VecDeque<String>,
}

impl Model for Prompter {
    async fn call(&mut self, _request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        let line = self.lines.pop_front().ok_or("the play is over")?;
        Ok(ModelResponse::text(line))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lines = VecDeque::from(["Who's there?".to_owned(), "Nay, answer me.".to_owned()]);
    let agent = Agent::builder("theatre", Prompter { lines }).instructions("You play Bernardo.").build();
    let answer = agent.run("Begin.").await?;
    assert_eq!(answer.text, "Who's there?");
    Ok(())
}
