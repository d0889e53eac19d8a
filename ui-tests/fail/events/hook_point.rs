//! The message should say: a rail names the event `PreToolCall` itself, not its runtime value `HookPoint::PreToolCall`.

use exo_rails::prelude::*;

#[rail(on = [HookPoint::PreToolCall])]
async fn guard(call: &ToolCallInputs) -> RailAction {
    RailAction::abort(format!("{} is off limits", call.tool_name))
}

fn main() {
    let _ = rail_chain![guard];
}
