//! The message should say: `ToolError` carries `&OperationError`: what has failed can no longer be changed.

use exo_rails::prelude::*;

#[rail(on = [ToolError])]
async fn guard(error: &mut OperationError) {
    error.message.clear();
}

fn main() {
    let _ = rail_chain![guard];
}
