//! The strategy of the compaction takes the plain `CompactionInputs`, and not a permit. An ideal message would say that a
//! compactor takes a `Permit<CompactionInputs>`, which derefs to the inputs.

use exo_rails::message::Message;
use exo_rails::prelude::*;
use exo_rails::{CompactionInputs, CompactionOutput};
use exo_rails_agent::{Agent, Compaction, ScriptedModel};

/// Keeps the minutes of a council meeting short.
async fn minutes(history: CompactionInputs) -> Result<CompactionOutput, OperationError> {
    let removed = history.messages.len();
    let summary = format!("The council has spoken {removed} times so far.");
    let messages = [Message::system(summary.clone()), Message::user("Go on.")].into();
    Ok(CompactionOutput { messages, removed, summary: Some(summary), ..Default::default() })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "say": "The bridge is next." }]"#.parse()?;
    let agent = Agent::builder("council", model).compaction(Compaction::over(100).with_strategy(minutes)).build();
    let said = Message::user("the bridge, the school, the budget ".repeat(30));
    let answer = agent.run(InvokeInputs { messages: [said].into(), ..InvokeInputs::new("What is next?") }).await?;
    println!("{}", answer.text);
    Ok(())
}
