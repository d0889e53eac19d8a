//! The message should say: the compiler's own words: the rail takes a model call, and the event begins a tool call.

use exo_rails::Next;
use exo_rails::operations::LlmCall;
use exo_rails::prelude::*;

#[rail(on = [PreToolCall], around)]
async fn limit(next: impl Next<LlmCall>) -> Result<ModelResponse, OperationError> {
    next.run().await
}

fn main() {
    let _ = rail_chain![limit];
}
