//! The message should say: `PreLlmCall` does not carry `&RateLimitLeft`: what an earlier rail provides is declared, `needs = [RateLimitLeft]`.

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

#[rail(priority = 30, on = [PreLlmCall])]
fn warn_when_low(left: &RateLimitLeft) {
    println!("{} calls left", left.0);
}

rail_chain! {
    struct MyRails { rate_limit, warn_when_low }
}

fn main() {
    let _ = MyRails {};
}
