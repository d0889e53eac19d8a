//! The message should say: a skip at `ToolError` brings a `ToolOutput`, not an `InvokeOutput`.

use exo_rails::prelude::*;

#[rail(on = [ToolError])]
async fn guard(error: &OperationError) -> RailAction<InvokeOutput> {
    RailAction::skip_with(InvokeOutput::text("done"), error.to_string())
}

fn main() {
    let _ = rail_chain![guard];
}
