//! The message should say: a rail that retries or continues returns `RailAction<_, RetryOrContinue>`.

use exo_rails::prelude::*;

#[rail(on = [LlmError])]
fn ask_again(error: &OperationError) -> RailAction {
    RailAction::retry_or_continue(error.message.clone())
}

fn main() {
    let _ = rail_chain![ask_again];
}
