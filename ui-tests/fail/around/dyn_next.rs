//! The message should say: write `next: impl Next<ToolCall>`.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[rail(on = [PreToolCall], around)]
async fn guard(next: &dyn Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    next.run().await
}

#[rail(on = [PreToolCall], around)]
async fn boxed(next: Box<dyn Next<ToolCall>>) -> Result<ToolOutput, OperationError> {
    next.run().await
}

fn main() {
    let _ = rail_chain![guard, boxed];
}
