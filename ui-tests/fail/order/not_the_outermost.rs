//! The message should say: `cache` must run first at `PreToolCall`, but `tool_limit` does. Both surround the operation.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[rail(priority = 20, on = [PreToolCall], around)]
async fn cache(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    next.run().await
}

#[rail(priority = 10, on = [PreToolCall], around)]
async fn tool_limit(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    next.run().await
}

rail_chain! {
    #[chain(first(cache on PreToolCall))]
    struct MyRails { tool_limit, cache }
}

fn main() {
    let _ = MyRails {};
}
