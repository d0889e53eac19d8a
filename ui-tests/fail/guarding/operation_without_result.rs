//! The message should say: the operation yields a `Result`.

use exo_rails::prelude::*;
use exo_rails::NoRails;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let tool = |call: Permit<ToolCallInputs>| async move { ToolOutput::text(call.tool_name.clone()) };
    let _ = NoRails.guard_tool_call(ToolCallInputs::new("search"), &mut RunContext::new("demo"), tool).await;
}
