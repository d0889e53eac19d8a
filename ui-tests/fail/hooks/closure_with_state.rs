//! The message should say: a hook borrows nothing from itself: one with state is a rail with state, in a chain.

use exo_rails::prelude::*;

fn main() {
    let allowed = vec!["search".to_owned()];
    HookManager::new().add(HookPoint::PreToolCall, async move |inputs: Inputs<'_>, _: &mut RailContext| {
        println!("{}: {} tools", inputs.point(), allowed.len());
    });
}
