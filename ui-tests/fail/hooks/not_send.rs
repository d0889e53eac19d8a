//! The message should say: the future of a hook must be `Send`.

use exo_rails::prelude::*;

use std::rc::Rc;

async fn pause() {}

async fn log(inputs: Inputs<'_>, _: &mut RailContext) {
    let point = Rc::new(inputs.point());
    pause().await;
    println!("{point}");
}

fn main() {
    HookManager::new().add(HookPoint::PreToolCall, log);
}
