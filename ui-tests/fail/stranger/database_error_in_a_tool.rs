//! The message should say: `?` cannot turn a `StockError` into an `OperationError`. Let the function return
//! `Result<_, StockError>`, because an operation may fail with any error type, or implement `From<StockError> for OperationError`.

use exo_rails::NoRails;
use exo_rails::prelude::*;

#[derive(Debug, thiserror::Error)]
enum StockError {
    #[error("the shelf `{0}` does not exist")]
    NoShelf(String),
}

fn count(shelf: &str) -> Result<u32, StockError> {
    match shelf {
        "a" => Ok(12),
        other => Err(StockError::NoShelf(other.to_owned())),
    }
}

async fn stock(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    let shelf = call.str_argument("shelf").ok_or("which shelf?")?;
    let boxes = count(shelf)?; // <- here
    Ok(ToolOutput::text(format!("{boxes} boxes")))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let call = ToolCallInputs::new("stock").with_arguments(serde_json::json!({ "shelf": "a" }));
    let output = NoRails.guard_tool_call(call, &mut RunContext::new("warehouse"), stock).await?;
    assert_eq!(output.content, "12 boxes");
    Ok(())
}
