//! The message should say: a rail on `PreToolCall` cannot return `String`; it may return `RailAction`, `Verdict`, `()`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> String {
    call.tool_name.clone()
}

fn main() {
    let _ = rail_chain![guard];
}
