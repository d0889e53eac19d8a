//! The message should say: the operation of a tool call yields a `ToolOutput`, or text.

use exo_rails::prelude::*;
use exo_rails::NoRails;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let tool = |call: Permit<ToolCallInputs>| async move { Ok::<_, OperationError>(call.tool_name.len()) };
    let _ = NoRails.guard_tool_call(ToolCallInputs::new("search"), &mut RunContext::new("demo"), tool).await;
}
