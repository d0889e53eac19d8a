//! The message should say: this `Result` may be an `Err` (the compiler's own words).

#![deny(unused_must_use)]

use exo_rails::prelude::*;
use exo_rails::NoRails;

async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
}

async fn act(ctx: &mut RunContext) {
    NoRails.guard_tool_call(ToolCallInputs::new("search"), ctx, run_tool).await;
}

fn main() {
    let _ = act(&mut RunContext::new("demo"));
}
