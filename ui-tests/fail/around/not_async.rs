//! The message should say: a rail with `around` waits for the operation: write an `async fn`.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[rail(on = [PreToolCall], around)]
fn limit(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    drop(next);
    Ok(ToolOutput::text("cached"))
}

fn main() {
    let _ = rail_chain![limit];
}
