//! The message should say: `PreToolCall` does not carry `&String`; it carries `&mut ToolCallInputs`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(tool_name: &String) -> Verdict {
    Verdict::abort_if(tool_name == "shell", "no shell")
}

fn main() {
    let _ = rail_chain![guard];
}
