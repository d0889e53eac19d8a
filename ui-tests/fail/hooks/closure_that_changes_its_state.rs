//! The message should say: a hook is an `async fn`; one with state is a rail with state, in a chain.

use exo_rails::prelude::*;

fn main() {
    let mut calls = 0;
    HookManager::new().add(HookPoint::PreToolCall, move |inputs: Inputs<'_>, _: &mut RailContext| {
        calls += 1;
        println!("{} of {calls}", inputs.point());
        std::future::ready(())
    });
}
