//! The message should say: a rail does not call what comes next; once, and not for each of the three events.

use exo_rails::prelude::*;

struct Next;

#[rail(on = [PreToolCall, PostToolCall, ToolError])]
async fn guard(call: &ToolCallInputs, _next: &Next) -> RailAction {
    if call.tool_name == "shell" { RailAction::abort("no shell") } else { RailAction::Continue }
}

fn main() {
    let _ = rail_chain![guard];
}
