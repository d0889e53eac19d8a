//! An application keeps any guard set in a `Box<dyn GuardSet>` beside its tools. A rail takes its parameter apart in the signature.

use exo_rails::prelude::*;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Plant {
    name: String,
}

#[rail(priority = 10, on = [PreToolCall])]
fn no_cactus(ToolCallInputs { tool_name, arguments, .. }: &ToolCallInputs) -> RailAction {
    if tool_name == "water" && arguments["name"] == "cactus" {
        return RailAction::skip("a cactus needs no water today");
    }
    RailAction::Continue
}

struct App {
    rails: Box<dyn GuardSet>,
    tools: Vec<Tool>,
}

impl App {
    fn new(rails: impl GuardSet + 'static) -> Self {
        let water = Tool::new("water", "Waters a plant.", json!({ "type": "object" }), |plant: Plant| async move {
            Ok::<_, OperationError>(format!("the {} is wet", plant.name))
        });
        Self { rails: Box::new(rails), tools: vec![water] }
    }

    async fn call(&self, tool: &str, plant: &str) -> Result<String, RunError> {
        let mut ctx = RunContext::new("garden");
        let call = ToolCallInputs::new(tool).with_arguments(json!({ "name": plant }));
        let output = self.rails.guard_tool_call(call, &mut ctx, |call| Tool::call_named(&self.tools, call)).await?;
        Ok(output.content)
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let apps = [App::new(rail_chain![no_cactus]), App::new(RailManager::new())];
    assert!(apps[0].call("water", "cactus").await?.ends_with("a cactus needs no water today"));
    assert_eq!(apps[0].call("water", "fern").await?, "the fern is wet");
    assert_eq!(apps[1].call("water", "cactus").await?, "the cactus is wet");
    Ok(())
}
