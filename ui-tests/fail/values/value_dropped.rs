//! The message should say: unused `Provide` that must be used: a dropped decision has no effect: return it.

#![deny(unused_must_use)]

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft])]
fn rate_limit(ctx: &RailContext) -> RateLimitLeft {
    if ctx.step() > 9 {
        Provide::<RateLimitLeft>::abort("ten calls are enough");
    }
    RateLimitLeft(10 - ctx.step())
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
