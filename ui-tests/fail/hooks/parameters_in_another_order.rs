//! The message should say: a hook is an `async fn(inputs: Inputs<'_>, ctx: &mut RailContext)`.

use exo_rails::prelude::*;

async fn log(ctx: &mut RailContext, inputs: Inputs<'_>) {
    println!("{} of {}", inputs.point(), ctx.run_id());
}

fn main() {
    HookManager::new().add(HookPoint::PreToolCall, log);
}
