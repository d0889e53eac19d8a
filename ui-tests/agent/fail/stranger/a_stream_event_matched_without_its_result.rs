//! The loop matches `RunEvent::Text` against what `next()` returns, which is a `Result`, because a run can fail in the middle. An
//! ideal message would say that the stream yields `Result<RunEvent, FailedRun>`, and to write `event?`.

use std::io::Write;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, RunEvent, ScriptedModel};

#[rail(priority = 40, on = [LlmChunk])]
fn hide_code(window: &mut StreamWindow) {
    window.replace("4-8-15-16", "[door code]");
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "deltas": ["Your room is 12. The code is 4-8", "-15-16."] }]"#.parse()?;
    let agent = Agent::builder("hotel", model).rails(rail_chain![hide_code]).build();
    let mut events = agent.stream("I arrive at midnight. How do I get in?");
    while let Some(event) = events.next().await {
        if let RunEvent::Text(piece) = event {
            print!("{piece}");
            std::io::stdout().flush()?;
        }
    }
    println!();
    Ok(())
}
