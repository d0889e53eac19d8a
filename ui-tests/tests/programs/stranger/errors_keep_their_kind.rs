//! What it shows: `From<StockError> for OperationError`, used by `?` in a tool, with the kind and the waiting time that a rail on
//! the failure reads.

use std::time::Duration;

use exo_rails::prelude::*;

#[derive(Debug, thiserror::Error)]
enum StockError {
    #[error("the scales are busy")]
    Busy { wait: Duration },
    #[error("there is no shelf {0}")]
    NoShelf(u8),
}

impl From<StockError> for OperationError {
    fn from(error: StockError) -> Self {
        match error {
            StockError::Busy { wait } => {
                Self::new(OperationErrorKind::RateLimited, error.to_string()).with_retry_after(wait).with_source(error)
            }
            StockError::NoShelf(_) => Self::new(OperationErrorKind::NotFound, error.to_string()).with_source(error),
        }
    }
}

fn weigh(shelf: u8, attempt: u32) -> Result<u32, StockError> {
    match shelf {
        0 => Err(StockError::NoShelf(shelf)),
        1 if attempt < 2 => Err(StockError::Busy { wait: Duration::from_millis(1) }),
        _ => Ok(u32::from(shelf) * 10),
    }
}

#[rail(on = [ToolError])]
fn wait_for_the_scales(error: &OperationError) -> Option<RailAction> {
    let delay = error.retry_after?;
    Some(RailAction::retry(RetryRequest::new(error.message.clone()).with_delay(delay).with_max_retries(5)))
}

async fn stock(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    let shelf = call.arguments["shelf"].as_u64().ok_or_else(|| "which shelf?".to_owned())?;
    let kilos = weigh(shelf as u8, call.attempt())?;
    Ok(format!("{kilos} kg").into())
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let (rails, mut ctx) = (rail_chain![wait_for_the_scales], RunContext::new("warehouse"));
    let call = |shelf: u8| ToolCallInputs::new("stock").with_arguments(serde_json::json!({ "shelf": shelf }));
    for (shelf, content) in [(1, "10 kg"), (3, "30 kg")] {
        assert_eq!(rails.guard_tool_call(call(shelf), &mut ctx, stock).await?.content, content);
    }
    let output = rails.guard_tool_call(call(0), &mut ctx, stock).await?;
    assert_eq!(output.error_kind, Some(OperationErrorKind::NotFound));
    Ok(())
}
