//! The field of a chain is an `InMode<SpeedLimit>`, and the program makes it with `.shadow()`, which only guard sets have. An ideal
//! message says to write `InMode::new(Mode::Shadow, SpeedLimit { … })` for one rail.

use exo_rails::InMode;
use exo_rails::prelude::*;

/// Refuses routes on which the truck would be too fast.
struct SpeedLimit {
    kilometres_per_hour: u64,
}

#[rail(priority = 20)]
impl SpeedLimit {
    #[on(PreToolCall)]
    fn check(&self, call: &ToolCallInputs) -> RailAction {
        match call.arguments["speed"].as_u64() {
            Some(speed) if speed <= self.kilometres_per_hour => RailAction::Continue,
            _ => RailAction::skip(format!("at most {} km/h", self.kilometres_per_hour)),
        }
    }
}

rail_chain! {
    struct TruckRails {
        limit: SpeedLimit,
        /// We only try this one out.
        next_limit: InMode<SpeedLimit>,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let rails = TruckRails {
        limit: SpeedLimit { kilometres_per_hour: 90 },
        next_limit: SpeedLimit { kilometres_per_hour: 80 }.shadow(),
    };
    let call = ToolCallInputs::new("plan_route").with_arguments(serde_json::json!({ "speed": 85 }));
    let plan = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>("planned");
    let output = rails.guard_tool_call(call, &mut RunContext::new("trucks"), plan).await?;
    assert_eq!(output.content, "planned");
    Ok(())
}
