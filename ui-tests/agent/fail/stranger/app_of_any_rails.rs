//! The message should say: `R` may not be a guard set, and only an agent with a guard set can run: write
//! `impl<R: GuardSet> App<R>`.
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, FailedRun, ScriptedModel};

#[rail(priority = 10, on = [PreToolCall])]
fn no_tools() -> RailAction {
    RailAction::skip("this app has no tools")
}

struct App<R> {
    agent: Agent<ScriptedModel, R>,
    greeting: String,
}

impl<R> App<R> {
    async fn ask(&self, question: &str) -> Result<String, FailedRun> {
        let answer = self.agent.run(question).await?; // <- here
        Ok(format!("{} {}", self.greeting, answer.text))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "say": "It is noon." }]"#.parse()?;
    let agent = Agent::builder("clock", model).rails(rail_chain![no_tools]).build();
    let app = App { agent, greeting: "Good day!".to_owned() };
    println!("{}", app.ask("What time is it?").await?);
    Ok(())
}
