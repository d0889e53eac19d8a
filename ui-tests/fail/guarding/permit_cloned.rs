//! The message should say: a permit is for one call: it is not `Clone`.

use exo_rails::prelude::*;
use exo_rails::NoRails;

async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
}

async fn twice(ctx: &mut RunContext) -> Result<ToolOutput, RunError> {
    let tool = |permit: Permit<ToolCallInputs>| async move {
        run_tool(permit.clone()).await?;
        run_tool(permit).await
    };
    NoRails.guard_tool_call(ToolCallInputs::new("search"), ctx, tool).await
}

fn main() {
    let _ = twice(&mut RunContext::new("demo"));
}
