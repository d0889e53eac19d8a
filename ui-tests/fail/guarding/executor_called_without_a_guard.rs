//! The message should say: expected `Permit<ToolCallInputs>`, found `ToolCallInputs` (the compiler's own words).

use exo_rails::prelude::*;

async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
}

async fn unguarded() -> Result<ToolOutput, OperationError> {
    run_tool(ToolCallInputs::new("delete_file")).await
}

fn main() {
    let _ = unguarded();
}
