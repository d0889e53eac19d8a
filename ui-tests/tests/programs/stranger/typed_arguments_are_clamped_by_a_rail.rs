//! A typed tool with an enum in its arguments, a set of tools, and a rail that changes the arguments.

use exo_rails::prelude::*;
use exo_rails::tools;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Room {
    Nursery,
    Cellar,
}

/// Heats or cools a room.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "set_temperature", schema = json!({ "type": "object", "required": ["room", "celsius"] }))]
struct SetTemperature {
    room: Room,
    celsius: i32,
}

tools! {
    #[derive(Clone)]
    struct HomeTools { set_temperature: SetTemperature }
}

#[rail(priority = 20, on = [PreToolCall], tools = HomeTools, on_fault = "skip")]
fn comfortable(args: &mut Args<SetTemperature>) -> RailAction {
    if args.room == Room::Cellar && args.celsius > 20 {
        return RailAction::skip("nobody heats a cellar");
    }
    args.celsius = args.celsius.clamp(15, 24);
    RailAction::Continue
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = HomeTools {
        set_temperature: SetTemperature::tool(async |args: SetTemperature| {
            Ok::<_, OperationError>(format!("{:?}: {} degrees", args.room, args.celsius))
        }),
    };
    for (room, expected) in [(Room::Nursery, "Nursery: 24 degrees"), (Room::Cellar, "nobody heats a cellar")] {
        let (call, mut ctx) = (ToolCallInputs::of(&SetTemperature { room, celsius: 40 })?, RunContext::new("home"));
        let output = rail_chain![comfortable].guard_tool_call(call, &mut ctx, |call| tools.call(call)).await?;
        assert!(output.content.ends_with(expected), "{}", output.content);
    }
    Ok(())
}
