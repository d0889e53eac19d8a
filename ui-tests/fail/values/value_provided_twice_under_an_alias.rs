//! The message should say: `rate_limit` provides `RateLimitLeft` twice.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

type Left = RateLimitLeft;

#[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft, Left])]
fn rate_limit(ctx: &RailContext) -> (RateLimitLeft, Left) {
    (RateLimitLeft(ctx.step()), RateLimitLeft(0))
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
