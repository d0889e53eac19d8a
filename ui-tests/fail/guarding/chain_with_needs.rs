//! The message should say: `Warnings` is not a guard set: a chain with `needs` becomes one in a chain that provides the
//! values. Also of its methods, and behind what wraps a guard set.

use exo_rails::prelude::*;
use exo_rails::{DynGuardSet, EventBus};

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(on = [PreLlmCall], needs = [RateLimitLeft])]
fn warn_when_low(left: &RateLimitLeft) {
    println!("{}", left.0);
}

rail_chain! {
    #[chain(needs = [RateLimitLeft])]
    struct Warnings { warn_when_low }
}

fn guard(rails: impl GuardSet) {
    drop(rails);
}

fn main() {
    guard(Warnings);
    guard(EventBus::default().wrap(Warnings));
    let _ = DynGuardSet::new(&Warnings);
    let _ = Warnings.register(&mut HookManager::new());
}
