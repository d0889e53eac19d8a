//! The message should say: `u32` does not convert into `OperationError`.

use exo_rails::prelude::*;
use exo_rails::NoRails;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let tool = |call: Permit<ToolCallInputs>| async move {
        if call.tool_name.is_empty() { Err(404_u32) } else { Ok(ToolOutput::default()) }
    };
    let _ = NoRails.guard_tool_call(ToolCallInputs::new("search"), &mut RunContext::new("demo"), tool).await;
}
