//! The message should say: a hook is an `async fn(inputs: Inputs<'_>, ctx: &mut RailContext)`.

use exo_rails::prelude::*;

fn log(inputs: Inputs<'_>, _: &mut RailContext) {
    println!("{}", inputs.point());
}

fn main() {
    HookManager::new().add(HookPoint::PreToolCall, log);
}
