//! The message should say: `RateLimitLeft` is not a value that rails provide: derive `Provided`; nothing about the chain.

use exo_rails::prelude::*;

struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft])]
fn rate_limit(ctx: &RailContext) -> RateLimitLeft {
    RateLimitLeft(ctx.step())
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
