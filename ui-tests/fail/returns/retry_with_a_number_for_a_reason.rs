//! The message should say: a reason is a text, not a number.

use exo_rails::prelude::*;

#[rail(on = [ToolError])]
async fn again(error: &OperationError) -> RailAction {
    if error.retry_after.is_some() { RailAction::retry(RetryRequest::new(3)) } else { RailAction::Continue }
}

fn main() {
    let _ = rail_chain![again];
}
