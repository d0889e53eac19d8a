//! The message should say: a rail does not call what comes next; once, and no advice to borrow it.

use exo_rails::prelude::*;

struct Next;

#[rail(on = [PreToolCall, PostToolCall])]
async fn guard(call: &ToolCallInputs, next: Next) -> RailAction {
    let Next = next;
    if call.tool_name == "shell" { RailAction::abort("no shell") } else { RailAction::Continue }
}

fn main() {
    let _ = rail_chain![guard];
}
