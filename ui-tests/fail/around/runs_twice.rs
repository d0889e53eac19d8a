//! The message should say: the compiler's own words: `next` is moved by the first `run`.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[rail(on = [PreToolCall], around)]
async fn twice(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    let _ = next.run().await;
    next.run().await
}

fn main() {
    let _ = rail_chain![twice];
}
