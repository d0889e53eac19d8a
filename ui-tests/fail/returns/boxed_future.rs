//! The message should say: a rail returns its decision, not a future of it: write `async fn`.

use exo_rails::prelude::*;

use std::pin::Pin;

#[rail(on = [PreToolCall])]
fn guard(call: &ToolCallInputs) -> Pin<Box<dyn Future<Output = RailAction> + Send>> {
    let reason = call.tool_name.clone();
    Box::pin(async move { RailAction::abort(reason) })
}

fn main() {
    let _ = rail_chain![guard];
}
