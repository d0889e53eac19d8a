//! The message should say: only a guard makes a permit, and how it is called.

use exo_rails::prelude::*;

async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
}

async fn unguarded() -> Result<ToolOutput, OperationError> {
    run_tool(Permit(ToolCallInputs::new("delete_file"))).await
}

fn main() {
    let _ = unguarded();
}
