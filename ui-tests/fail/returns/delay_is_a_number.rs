//! The message should say: a delay is a `Duration`: write `Duration::from_secs(2)` (the compiler's own words: expected `Duration`).

use exo_rails::prelude::*;

#[rail(on = [LlmError])]
async fn guard(error: &OperationError) -> RailAction {
    RailAction::retry(RetryRequest::new(error.to_string()).with_delay(2))
}

fn main() {
    let _ = rail_chain![guard];
}
