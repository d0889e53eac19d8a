//! The message should say: a permit's inputs cannot be changed: a rail does that, by `&mut`.

use exo_rails::prelude::*;
use exo_rails::NoRails;

async fn run_tool(mut call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    call.tool_name = "delete_file".to_owned();
    Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
}

fn main() {
    let _ = NoRails.guard_tool_call(ToolCallInputs::new("search"), &mut RunContext::new("demo"), run_tool);
}
