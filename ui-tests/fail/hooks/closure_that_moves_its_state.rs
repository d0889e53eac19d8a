//! The message should say: a hook is an `async fn`; one with state is a rail with state, in a chain.

use exo_rails::prelude::*;

fn main() {
    let allowed = vec!["search".to_owned()];
    HookManager::new().add(HookPoint::PreToolCall, move |inputs: Inputs<'_>, _: &mut RailContext| {
        println!("{}", inputs.point());
        async move { println!("{} tools", allowed.len()) }
    });
}
