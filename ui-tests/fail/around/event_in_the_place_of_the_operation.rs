//! The message should say: `PreToolCall` is an event: write `impl Next<ToolCall>`. The body is not reported.

use exo_rails::Next;
use exo_rails::prelude::*;

#[rail(on = [PreToolCall], around)]
async fn limit(call: &ToolCallInputs, next: impl Next<PreToolCall>) -> Result<ToolOutput, OperationError> {
    println!("{}", call.tool_name);
    let output = next.run().await?;
    Ok(output)
}

fn main() {
    let _ = rail_chain![limit];
}
