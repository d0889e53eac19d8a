//! The message should say: a chain with a rail around an operation cannot be registered with a `HookManager`.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[rail(on = [PreToolCall], around)]
async fn limit(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    next.run().await
}

fn main() {
    rail_chain![limit].register(&mut HookManager::new());
}
