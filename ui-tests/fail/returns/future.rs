//! The message should say: a rail returns its decision: write `async fn`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn guard(call: &ToolCallInputs) -> impl Future<Output = RailAction> {
    let reason = call.tool_name.clone();
    async move { RailAction::abort(reason) }
}

fn main() {
    let _ = rail_chain![guard];
}
