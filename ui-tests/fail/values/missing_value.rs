//! The message should say: the compiler's own words: there is no type `RateLimitLef`; once, with the similar name.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLef])]
fn rate_limit(ctx: &RailContext) -> RateLimitLeft {
    RateLimitLeft(ctx.step())
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
