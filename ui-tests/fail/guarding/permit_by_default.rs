//! The message should say: a permit cannot be made: only a guarded operation has one.

use exo_rails::prelude::*;

async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
}

fn main() {
    let _ = run_tool(Permit::default());
}
