//! The message should say: `warn_when_low` needs `RateLimitLeft`, but `rate_limit`, which provides it, runs later: the priorities of `warn_when_low` and `Limits` are 30 and 40.

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

rail_chain! {
    #[chain(priority = 40)]
    struct Limits { rate_limit }
}

#[rail(priority = 30, on = [PreLlmCall], needs = [RateLimitLeft])]
fn warn_when_low(left: &RateLimitLeft) {
    println!("{} calls left", left.0);
}

rail_chain! {
    struct MyRails { warn_when_low, Limits }
}

fn main() {
    let _ = MyRails {};
}
