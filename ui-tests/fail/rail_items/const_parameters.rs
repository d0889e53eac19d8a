//! The message should say: a rail function has no const parameters; make the rail a type.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard<const N: usize>(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name.len() > N, "too long")
}

fn main() {
    let _ = rail_chain![guard];
}
