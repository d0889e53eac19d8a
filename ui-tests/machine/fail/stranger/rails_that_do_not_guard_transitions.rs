//! The message should say: the rails of a machine guard its transitions too, and `GardenRails` does not guard the operation
//! `Transition`: write `#[chain(operations = [Transition])]` above its struct.
use exo_rails::prelude::*;
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, machine};

#[rail(priority = 10, on = [PreToolCall])]
fn no_pesticides(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "spray" { RailAction::skip("the bees would die") } else { RailAction::Continue }
}

rail_chain! {
    struct GardenRails { no_pesticides }
}

machine! {
    machine Garden {
        init Look {
            prompt: "Are there weeds?";
            -> Weed;
            -> Rest;
        }
        task Weed {
            prompt: "Weed the bed.";
            -> Rest;
        }
        end Rest;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel =
        r#"[{ "call": [{ "tool": "transition_to_Rest", "arguments": { "reason": "no weeds" } }] }]"#.parse()?;
    let executor = Executor::builder(Garden::machine(), model)
        .rails(GardenRails) // <- here
        .build()?;
    println!("{:?}", executor.run().await?.ended_at);
    Ok(())
}
