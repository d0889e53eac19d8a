//! The message should say: the rail takes the same part of the event twice: `Inputs<'_>` is all of them.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(inputs: Inputs<'_>, call: &ToolCallInputs) {
    println!("{} at {}", call.tool_name, inputs.point());
}

fn main() {
    let _ = rail_chain![guard];
}
