//! The message should say: `RateLimitLeft` is listed twice.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft, RateLimitLeft])]
fn rate_limit(ctx: &RailContext) -> (RateLimitLeft, RateLimitLeft) {
    (RateLimitLeft(ctx.step()), RateLimitLeft(0))
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
