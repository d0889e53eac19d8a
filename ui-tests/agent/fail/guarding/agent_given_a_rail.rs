//! The message should say: `guard` is not a guard set: list it in `rail_chain![guard]`.

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model};

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

async fn answer(model: impl Model, tool: Tool) -> Result<InvokeOutput, RunError> {
    let agent = Agent::builder("support", model).rails(guard {}).tool(tool).build();
    Ok(agent.run("hello").await?)
}

fn main() {
    let tool = Tool::new("ping", "", serde_json::Value::Null, |_: serde_json::Value| async { Ok::<_, OperationError>("") });
    let _ = answer("[]".parse::<exo_rails_agent::ScriptedModel>().unwrap(), tool);
}
