//! The message should say: write `next: impl Next<ToolCall>`.

use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;
use exo_rails::Next;

#[rail(on = [PreToolCall], around)]
async fn limit<N: Next<ToolCall>>(next: N) -> Result<ToolOutput, OperationError> {
    next.run().await
}

fn main() {
    let _ = rail_chain![limit];
}
