//! The message should say: the task may live longer than `agent`, which its run borrows: put the agent into an `Arc`, and write
//! `tokio::spawn({ let agent = Arc::clone(&agent); async move { agent.run("…").await } })`.
use exo_rails_agent::{Agent, ScriptedModel};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "say": "It rains in Bergen." }, { "say": "It snows in Tromsø." }]"#.parse()?;
    let agent = Agent::builder("weather", model).instructions("You know the weather of Norway.").build();
    let mut runs = Vec::new();
    for town in ["Bergen", "Tromsø"] {
        runs.push(tokio::spawn(agent.run(format!("Which weather has {town}?")))); // <- here
    }
    for run in runs {
        println!("{}", run.await??.text);
    }
    Ok(())
}
