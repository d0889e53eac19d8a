//! What it shows: a task owns the stream of a run of a shared agent, and sends what it sees through a channel.
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, RunEvent, ScriptedModel};
use serde_json::{Value, json};
use tokio::sync::mpsc;

#[rail(priority = 40, on = [LlmChunk])]
fn hide_the_code(window: &mut StreamWindow) {
    window.replace("4711", "[code]");
}

rail_chain! {
    struct DoorRails { hide_the_code }
}

type Door = Agent<ScriptedModel, DoorRails>;

fn watch(door: Arc<Door>, question: &'static str) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(4);
    tokio::spawn(async move {
        let mut events = door.into_stream(question);
        while let Some(event) = events.next().await {
            let line = match event {
                Ok(RunEvent::Text(piece)) => piece,
                Ok(RunEvent::ToolRuns(call)) => format!("<{}>", call.tool_name),
                Ok(RunEvent::ToolReturned { output, .. }) => format!("<{}>", output.content),
                Ok(_) => continue,
                Err(failed) => format!("<{failed}>"),
            };
            if sender.send(line).await.is_err() {
                break;
            }
        }
    });
    lines
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel =
        r#"[{ "call": [{ "tool": "look" }] }, { "deltas": ["The code is 47", "11, and ", "the door is open."] }]"#.parse()?;
    let look = Tool::new("look", "Looks.", json!({}), |_: Value| async { Ok::<_, OperationError>("open") });
    let door = Arc::new(Agent::builder("door", model).tool(look).rails(DoorRails).build());
    let (mut lines, mut text) = (watch(Arc::clone(&door), "Is the door open?"), String::new());
    while let Some(line) = lines.recv().await {
        text.push_str(&line);
    }
    assert_eq!(text, "<look><open>The code is [code], and the door is open.");
    assert_eq!(door.name(), "door");
    Ok(())
}
