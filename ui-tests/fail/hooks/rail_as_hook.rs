//! The message should say: a hook is an `async fn(inputs: Inputs<'_>, ctx: &mut RailContext)`.

use exo_rails::prelude::*;

async fn log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

fn main() {
    HookManager::new().add(HookPoint::PreToolCall, log);
}
