//! Several tasks share one agent in an `Arc`, and each task asks its own question.

use std::sync::Arc;

use exo_rails::message::Role;
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model};

/// Writes headlines in capitals.
struct Typesetter;

impl Model for Typesetter {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        let said = request.messages.iter().rfind(|message| message.role == Role::User);
        let said = said.ok_or("nobody has said anything")?;
        Ok(ModelResponse::text(said.text().to_uppercase()))
    }
}

#[rail(priority = 10, on = [Start])]
fn short_headlines(run: &InvokeInputs) -> Verdict {
    Verdict::abort_if(run.input.text().len() > 60, "a headline has at most 60 letters")
}

rail_chain! {
    struct NewsRails { short_headlines }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = Arc::new(Agent::builder("news", Typesetter).rails(NewsRails).build());
    let mut tasks = Vec::new();
    for headline in ["rain tomorrow", "bridge reopened"] {
        let agent = Arc::clone(&agent);
        tasks.push(tokio::spawn(async move { agent.run(headline).await.map(|answer| answer.text) }));
    }
    let mut headlines = Vec::new();
    for task in tasks {
        headlines.push(task.await??);
    }
    assert_eq!(headlines, ["RAIN TOMORROW", "BRIDGE REOPENED"]);
    Ok(())
}
