//! The message should say: a retry calls the closure again: clone, or use `guard_tool_call_once`.

use exo_rails::NoRails;
use exo_rails::prelude::*;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let mut calls = Vec::new();
    let note = async |call: Permit<ToolCallInputs>| {
        calls.push(call.tool_name.clone());
        Ok::<_, OperationError>("noted")
    };
    NoRails.guard_tool_call(ToolCallInputs::new("search"), &mut RunContext::new("demo"), note).await?;
    Ok(())
}
