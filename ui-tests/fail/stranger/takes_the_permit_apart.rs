//! The message should say: the inputs cannot move out of the permit, which only lends them. Borrow them,
//! `let ToolCallInputs { tool_name, arguments, .. } = &*call;`, or clone them, `ToolCallInputs::clone(&call)`.

use exo_rails::NoRails;
use exo_rails::prelude::*;
use serde_json::json;

async fn run_query(call: Permit<ToolCallInputs>) -> Result<String, OperationError> {
    let ToolCallInputs { tool_name, arguments, .. } = *call; // <- here
    match tool_name.as_str() {
        "select" => Ok(format!("rows of {}", arguments["table"])),
        other => Err(OperationError::new(OperationErrorKind::NotFound, format!("there is no query `{other}`"))),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let call = ToolCallInputs::new("select").with_arguments(json!({ "table": "orders" }));
    let output = NoRails.guard_tool_call(call, &mut RunContext::new("reports"), run_query).await?;
    assert_eq!(output.content, "rows of \"orders\"");
    Ok(())
}
