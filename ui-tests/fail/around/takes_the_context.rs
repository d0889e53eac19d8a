//! The message should say: a rail with `around` takes no context: `next.scope()`.

use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;
use exo_rails::Next;

#[rail(on = [PreToolCall], around)]
async fn limit(next: impl Next<ToolCall>, ctx: &mut RailContext) -> Result<ToolOutput, OperationError> {
    println!("{}", ctx.run_id());
    next.run().await
}

fn main() {
    let _ = rail_chain![limit];
}
