//! The message should say: a rail with `around` takes the operation once: `next: impl Next<ToolCall>`.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[rail(on = [PreToolCall], around)]
async fn limit(call: &ToolCallInputs) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(call.tool_name.clone()))
}

fn main() {
    let _ = rail_chain![limit];
}
