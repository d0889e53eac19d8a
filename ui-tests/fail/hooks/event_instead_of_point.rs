//! The message should say: expected `HookPoint`: write `HookPoint::PreToolCall`.

use exo_rails::prelude::*;

async fn log(inputs: Inputs<'_>, _: &mut RailContext) {
    println!("{}", inputs.point());
}

fn main() {
    HookManager::new().add(PreToolCall, log);
}
