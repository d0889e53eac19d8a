//! The message should say: a rail has no `guard_tool_call`: only a guard set has.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
}

fn main() {
    let _ = guard {}.guard_tool_call(ToolCallInputs::new("search"), &mut RunContext::new("demo"), run_tool);
}
