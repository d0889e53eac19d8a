//! The message should say: a hook takes `Inputs<'_>` by value.

use exo_rails::prelude::*;

async fn log(inputs: &Inputs<'_>, _: &mut RailContext) {
    println!("{}", inputs.point());
}

fn main() {
    HookManager::new().add(HookPoint::PreToolCall, log);
}
