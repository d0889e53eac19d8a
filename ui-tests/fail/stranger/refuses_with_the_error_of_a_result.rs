//! The rail returns `Result<(), RailAction>` and refuses with `Err(RailAction::skip(…))`, as a handler of a web framework would.
//! An ideal message says that an `Err` is a fault and not a decision, and to return `RailAction` itself.

use exo_rails::prelude::*;

const ALLOWED_GATES: [&str; 3] = ["A1", "A2", "B7"];

/// Planes may only be sent to gates that are open.
#[rail(priority = 10, on = [PreToolCall])]
fn gate_is_open(call: &ToolCallInputs) -> Result<(), RailAction> {
    let gate = call.str_argument("gate").unwrap_or("without a name");
    if call.tool_name == "assign_gate" && !ALLOWED_GATES.contains(&gate) {
        return Err(RailAction::skip(format!("gate {gate} is closed")));
    }
    Ok(())
}

rail_chain! {
    struct AirportRails { gate_is_open }
}

async fn assign(call: Permit<ToolCallInputs>) -> Result<String, OperationError> {
    Ok(format!("assigned: {}", call.arguments))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let call = ToolCallInputs::new("assign_gate").with_arguments(serde_json::json!({ "gate": "C3" }));
    let output = AirportRails.guard_tool_call(call, &mut RunContext::new("airport"), assign).await?;
    println!("{}", output.content);
    Ok(())
}
