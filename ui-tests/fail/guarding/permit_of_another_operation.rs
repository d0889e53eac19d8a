//! The message should say: expected a tool call's permit, found a model call's (the compiler's own words).

use exo_rails::prelude::*;
use exo_rails::NoRails;

async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
}

fn main() {
    let _ = NoRails.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("demo"), run_tool);
}
