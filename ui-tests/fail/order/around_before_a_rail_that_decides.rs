//! The message should say: `tool_limit` surrounds the operation, so it runs after the rails without `around`.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

#[rail(priority = 1, on = [PreToolCall], around)]
async fn tool_limit(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    next.run().await
}

rail_chain! {
    #[chain(before(tool_limit, permission_check))]
    struct MyRails { tool_limit, permission_check }
}

fn main() {
    let _ = MyRails {};
}
