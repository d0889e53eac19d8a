//! The message should say: `guard` is not a guard set: list it in `rail_chain![guard]`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn agent(model: impl Model) {
    let _ = Agent::builder("support", model).rails(guard {}).build();
}

fn main() {
    agent("[]".parse::<exo_rails::scripted::ScriptedModel>().unwrap());
}
