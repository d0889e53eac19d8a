//! The message should say: write `next: impl Next<ToolCall>`.

use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;
use exo_rails::Next;

#[rail(on = [PreToolCall], around)]
async fn limit(next: &mut impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(next.attempt().to_string()))
}

fn main() {
    let _ = rail_chain![limit];
}
