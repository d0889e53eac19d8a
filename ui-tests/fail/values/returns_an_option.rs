//! The message should say: the rail provides `RateLimitLeft`, but returns `Option<RateLimitLeft>`.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft])]
fn rate_limit(ctx: &RailContext) -> Option<RateLimitLeft> {
    10_u32.checked_sub(ctx.step()).map(RateLimitLeft)
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
