//! The message should say: the rail provides `RateLimitLeft`, but returns `u32`.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft])]
fn rate_limit(ctx: &RailContext) -> u32 {
    10 - ctx.step()
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
