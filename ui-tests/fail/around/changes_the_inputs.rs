//! The message should say: take the inputs by `&`, and change them in a rail without `around`.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[rail(on = [PreToolCall], around)]
async fn limit(call: &mut ToolCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    call.tool_name.clear();
    next.run().await
}

fn main() {
    let _ = rail_chain![limit];
}
