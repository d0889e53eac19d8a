//! A `RunStream` is a stream like any other, so the combinators of `futures_util` work on it.

use std::future::ready;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, FailedRun, RunEvent, ScriptedModel};
use futures_util::TryStreamExt;

#[rail(priority = 40, on = [LlmChunk])]
fn no_parsley(window: &mut StreamWindow) {
    window.replace("parsley", "mint");
}

rail_chain! {
    struct HerbRails { no_parsley }
}

async fn pieces(agent: &Agent<ScriptedModel, HerbRails>, question: &str) -> Result<Vec<String>, FailedRun> {
    let text = |event: RunEvent| {
        ready(Ok::<_, FailedRun>(match event {
            RunEvent::Text(piece) => Some(piece),
            _ => None,
        }))
    };
    agent.stream(question).try_filter_map(text).try_collect().await
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "deltas": ["Basil, par", "sley, ", "thyme."] }]"#.parse()?;
    let agent = Agent::builder("garden", model).rails(HerbRails).build();
    assert_eq!(pieces(&agent, "Name three herbs.").await?.concat(), "Basil, mint, thyme.");
    Ok(())
}
