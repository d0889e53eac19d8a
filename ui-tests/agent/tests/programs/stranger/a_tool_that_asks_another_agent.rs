//! The tool of one agent runs another agent in the context of the call, and `?` converts the error of the inner run.

use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde_json::json;

fn ask_botanist(botanist: Arc<Agent<ScriptedModel>>) -> Tool {
    let schema = json!({ "type": "object", "properties": { "question": { "type": "string" } }, "required": ["question"] });
    Tool::with_permit("ask_botanist", "Asks a botanist.", schema, async move |call: Permit<ToolCallInputs>| {
        let question = call.str_argument("question").ok_or("`question` is missing")?.to_owned();
        let answer = botanist.run_in(question, &mut call.context()).await?;
        Ok::<_, OperationError>(answer.text)
    })
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let knows: ScriptedModel = r#"[{ "say": "It needs less water." }]"#.parse()?;
    let botanist = Arc::new(Agent::builder("botanist", knows).build());
    let model: ScriptedModel = r#"[
        { "call": [{ "tool": "ask_botanist", "arguments": { "question": "Why are the leaves yellow?" } }] },
        { "say": "Water it less." }
    ]"#
    .parse()?;
    let shop = Agent::builder("plant-shop", model).tool(ask_botanist(Arc::clone(&botanist))).build();
    let answer = shop.run("My fern is yellow.").await?;
    assert_eq!(answer.messages[2].text(), "It needs less water.");
    assert_eq!(answer.text, "Water it less.");
    Ok(())
}
