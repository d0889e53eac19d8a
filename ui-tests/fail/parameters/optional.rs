//! The message should say: a rail borrows the payload: write `&ToolCallInputs`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: Option<&ToolCallInputs>) -> Verdict {
    Verdict::abort_if(call.is_none(), "no call")
}

fn main() {
    let _ = rail_chain![guard];
}
