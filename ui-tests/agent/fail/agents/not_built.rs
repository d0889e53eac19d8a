//! The message should say: write `.build()`.

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model};

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

async fn answer(model: impl Model) -> Result<InvokeOutput, RunError> {
    let agent = Agent::builder("support", model).rails(rail_chain![guard]);
    Ok(agent.run("hello").await?)
}

fn main() {
    let _ = answer("[]".parse::<exo_rails_agent::ScriptedModel>().unwrap());
}
