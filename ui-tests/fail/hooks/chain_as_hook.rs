//! The message should say: to add a chain, write `chain.register(&mut hooks)`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    HookManager::new().add(HookPoint::PreToolCall, rail_chain![guard]);
}
