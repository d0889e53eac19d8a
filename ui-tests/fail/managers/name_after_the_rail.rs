//! The message should say: the name comes before the rail.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn main() {
    let _ = RailManager::new().add_named(guard {}, "strict");
}
