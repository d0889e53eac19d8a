//! The message should say, once: `Found` does not begin an operation.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[derive(Event)]
#[event(payload = &mut String, allows = "skip")]
struct Found;

#[rail(on = [Found], around)]
async fn slow(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    next.run().await
}

fn main() {
    let _ = rail_chain![#[chain(events = [Found])] slow];
}
