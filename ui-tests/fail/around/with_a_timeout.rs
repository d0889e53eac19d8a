//! The message should say: `timeout` does not go with `around`: write `tokio::time::timeout(limit, next.run()).await`.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[rail(on = [PreToolCall], around, timeout = "2s")]
async fn limit(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    next.run().await
}

fn main() {
    let _ = rail_chain![limit];
}
