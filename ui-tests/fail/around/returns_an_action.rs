//! The message should say: a rail around `ToolCall` returns `Result<ToolOutput, OperationError>`.

use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;
use exo_rails::Next;

#[rail(on = [PreToolCall], around)]
async fn limit(next: impl Next<ToolCall>) -> RailAction {
    match next.run().await {
        Ok(_) => RailAction::Continue,
        Err(error) => RailAction::abort(error.message),
    }
}

fn main() {
    let _ = rail_chain![limit];
}
