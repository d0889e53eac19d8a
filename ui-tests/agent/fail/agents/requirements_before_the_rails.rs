//! The message should say: give the agent its rails first.

use exo_rails::chain_requirements;
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model};

#[rail(on = [PreToolCall])]
fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

chain_requirements! {
    struct Company { require(guard on PreToolCall) }
}

rail_chain! {
    #[chain(requirements = Company)]
    struct MyRails { guard }
}

fn build(model: impl Model) {
    let _ = Agent::builder("desk", model).requires::<Company>().rails(MyRails).build();
}

fn main() {}
