//! The message should say: a rail surrounds one operation: list the one event that begins it.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[rail(on = [PreToolCall, PreLlmCall], around)]
async fn limit(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    next.run().await
}

fn main() {
    let _ = rail_chain![limit];
}
