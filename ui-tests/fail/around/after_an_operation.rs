//! The message should say: `PostToolCall` does not begin an operation: write `on = [PreToolCall], around`.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[rail(on = [PostToolCall], around)]
async fn limit(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    next.run().await
}

fn main() {
    let _ = rail_chain![limit];
}
