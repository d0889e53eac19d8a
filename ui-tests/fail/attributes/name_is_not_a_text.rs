//! The message should say: a rail's name is a text: `name = "my_rail"`.

use exo_rails::prelude::*;

#[rail(name = my_rail, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
