//! The message should say: a delay is a `Duration`, which is always finite (the compiler's own words: expected `Duration`).

use exo_rails::prelude::*;

#[rail(on = [LlmError])]
async fn guard(error: &OperationError) -> RailAction {
    RailAction::retry(RetryRequest::new(error.to_string()).with_delay(f64::INFINITY))
}

fn main() {
    let _ = rail_chain![guard];
}
