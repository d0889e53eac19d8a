//! The message should say: the permit is moved into the first call (the compiler's own words).

use exo_rails::prelude::*;
use exo_rails::NoRails;

async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
}

async fn twice(ctx: &mut RunContext) -> Result<ToolOutput, RunError> {
    let call = ToolCallInputs::new("search");
    let tool = |permit| async move {
        run_tool(permit).await?;
        run_tool(permit).await
    };
    NoRails.guard_tool_call(call, ctx, tool).await
}

fn main() {
    let _ = twice(&mut RunContext::new("demo"));
}
