//! The strategy of the compaction is an async closure that owns a second agent, which writes the summary.

use std::sync::Arc;

use exo_rails::message::Message;
use exo_rails::prelude::*;
use exo_rails::{CompactionInputs, CompactionOutput};
use exo_rails_agent::{Agent, Compaction, ScriptedModel};

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let writes: ScriptedModel = r#"[{ "say": "They have planned a picnic." }]"#.parse()?;
    let secretary = Arc::new(Agent::builder("secretary", writes).build());
    let summarize = async move |history: Permit<CompactionInputs>| {
        let said: Vec<_> = history.messages.iter().map(|message| message.text().into_owned()).collect();
        let summary = secretary.run(format!("Summarize this:\n{}", said.join("\n"))).await?.text;
        let messages = [Message::system(summary.clone()), Message::user("When do they meet?")].into();
        let removed = history.messages.len();
        Ok::<_, OperationError>(CompactionOutput { messages, removed, summary: Some(summary), ..Default::default() })
    };

    let model: ScriptedModel = r#"[{ "say": "At noon." }]"#.parse()?;
    let compaction = Compaction::over(100).with_strategy(summarize);
    let agent = Agent::builder("calendar", model).compaction(compaction).build();
    let before = Message::user("bread, cheese, a blanket, lemonade ".repeat(30));
    let answer = agent.run(InvokeInputs { messages: [before].into(), ..InvokeInputs::new("When do they meet?") }).await?;
    assert_eq!(answer.messages[0].text(), "They have planned a picnic.");
    assert_eq!(answer.text, "At noon.");
    Ok(())
}
