//! The message should say: `u8` is neither an error type nor text.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft])]
fn rate_limit(ctx: &RailContext) -> Result<RateLimitLeft, u8> {
    10_u32.checked_sub(ctx.step()).map(RateLimitLeft).ok_or(1)
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
