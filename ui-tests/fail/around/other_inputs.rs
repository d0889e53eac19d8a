//! The message should say: the compiler's own words: expected `&ModelCallInputs`, found `&ToolCallInputs`, at the type.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[rail(on = [PreToolCall], around)]
async fn limit(request: &ModelCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    println!("{}", request.messages.len());
    next.run().await
}

fn main() {
    let _ = rail_chain![limit];
}
