//! The message should say: a hook returns what a rail may return, not `String`.

use exo_rails::prelude::*;

async fn log(inputs: Inputs<'_>, _: &mut RailContext) -> String {
    inputs.point().to_string()
}

fn main() {
    HookManager::new().add(HookPoint::PreToolCall, log);
}
