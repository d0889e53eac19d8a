//! The message should say: a rail can only read a value of another rail: take `&RateLimitLeft`.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft])]
fn rate_limit(ctx: &RailContext) -> Provide<RateLimitLeft> {
    match 10_u32.checked_sub(ctx.step()) {
        Some(left) => Provide::value(RateLimitLeft(left)),
        None => Provide::abort("ten calls are enough"),
    }
}

#[rail(priority = 30, on = [PreLlmCall], needs = [RateLimitLeft])]
fn spend(left: &mut RateLimitLeft) {
    left.0 -= 1;
}

rail_chain! {
    struct MyRails { rate_limit, spend }
}

fn main() {
    let _ = MyRails {};
}
