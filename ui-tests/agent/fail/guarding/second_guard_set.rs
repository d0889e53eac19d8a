//! The message should say: the agent has its guard set; there is no method `rails` any more

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};

#[rail(on = [Start])]
fn log() {}

#[rail(on = [PreToolCall])]
fn permission() {}

fn agent(model: ScriptedModel) {
    let _ = Agent::builder("support", model).rails(rail_chain![log]).rails(rail_chain![permission]).build();
}

fn main() {}
