//! The message should say: the agent is built already, and its guard set cannot change any more: call `rails` before `build()`.
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};

#[rail(priority = 10, on = [Start])]
fn short_questions(run: &InvokeInputs) -> Verdict {
    Verdict::abort_if(run.input.text().len() > 500, "the question is too long")
}

fn doctor(script: &str) -> Result<Agent<ScriptedModel>, Box<dyn std::error::Error>> {
    Ok(Agent::builder("doctor", script.parse::<ScriptedModel>()?).instructions("You are a doctor.").build())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = doctor(r#"[{ "say": "Drink tea." }]"#)?
        .rails(rail_chain![short_questions]); // <- here
    println!("{}", agent.run("I have a cold.").await?.text);
    Ok(())
}
