//! The message should say: the guard makes the permit after its rails, so a rail cannot take it. Take the inputs:
//! `call: &ToolCallInputs`.

use exo_rails::prelude::*;

/// The robot moves at most one metre at a time.
#[rail(priority = 10, on = [PreToolCall])]
fn small_steps(call: &Permit<ToolCallInputs>) -> Verdict { // <- here
    let metres = call.arguments["metres"].as_f64().unwrap_or(f64::INFINITY);
    Verdict::abort_if(call.tool_name == "move" && metres > 1.0, "the robot moves one metre at a time")
}

rail_chain! {
    struct RobotRails { small_steps }
}

async fn drive(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(format!("moved by {}", call.arguments["metres"])))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let call = ToolCallInputs::new("move").with_arguments(serde_json::json!({ "metres": 0.5 }));
    let output = RobotRails.guard_tool_call(call, &mut RunContext::new("robot"), drive).await?;
    assert_eq!(output.content, "moved by 0.5");
    Ok(())
}
