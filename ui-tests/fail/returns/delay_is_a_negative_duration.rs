//! The message should say: a duration is never negative (the compiler's own words).

use exo_rails::prelude::*;

use std::time::Duration;

#[rail(on = [LlmError])]
async fn guard(error: &OperationError) -> RailAction {
    RailAction::retry(RetryRequest::new(error.to_string()).with_delay(Duration::from_secs(-1)))
}

fn main() {
    let _ = rail_chain![guard];
}
