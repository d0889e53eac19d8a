//! The message should say: the events of a run arrive one by one, so a `RunStream` is not an iterator: write
//! `while let Some(event) = events.next().await`.
use exo_rails_agent::{Agent, RunEvent, ScriptedModel};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "deltas": ["Roses are red, ", "violets are blue."] }]"#.parse()?;
    let agent = Agent::builder("poet", model).build();
    let mut poem = String::new();
    let events = agent.stream("Write a poem.");
    for event in events { // <- here
        match event? {
            RunEvent::Text(piece) => poem.push_str(&piece),
            RunEvent::Restart | RunEvent::RunAgain => poem.clear(),
            _ => {}
        }
    }
    println!("{poem}");
    Ok(())
}
