//! The message should say: a delay is a `Duration`, which is never negative (the compiler's own words: expected `Duration`).

use exo_rails::prelude::*;

#[rail(on = [LlmError])]
async fn guard(error: &OperationError) -> RailAction {
    RailAction::retry(RetryRequest::new(error.to_string()).with_delay(-1.5))
}

fn main() {
    let _ = rail_chain![guard];
}
