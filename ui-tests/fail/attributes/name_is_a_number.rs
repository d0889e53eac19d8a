//! The message should say: a rail's name is a text: `name = "my_rail"`.

use exo_rails::prelude::*;

#[rail(name = 3, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
