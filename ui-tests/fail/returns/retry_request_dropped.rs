//! The message should say: a retry request does nothing by itself: return `RailAction::retry(request)`.

#![deny(unused_must_use)]

use exo_rails::prelude::*;

#[rail(on = [LlmError])]
async fn guard(error: &OperationError) {
    RetryRequest::new(error.to_string());
}

fn main() {
    let _ = rail_chain![guard];
}
