//! The message should say: (the compiler's own words) what the closure returns borrows its inputs.

use exo_rails::prelude::*;

fn main() {
    HookManager::new().add(HookPoint::PreToolCall, |inputs: Inputs<'_>, _: &mut RailContext| async move {
        println!("{}", inputs.point());
    });
}
