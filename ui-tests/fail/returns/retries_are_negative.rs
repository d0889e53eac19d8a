//! The message should say: the number of retries is never negative (the compiler's own words).

use exo_rails::prelude::*;

#[rail(on = [LlmError])]
async fn guard(error: &OperationError) -> RailAction {
    RailAction::retry(RetryRequest::new(error.to_string()).with_max_retries(-1))
}

fn main() {
    let _ = rail_chain![guard];
}
