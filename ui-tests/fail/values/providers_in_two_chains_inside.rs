//! The message should say: `rate_limit` and `quota` both provide `RateLimitLeft` at `PreLlmCall`; once.

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

#[rail(priority = 25, on = [PreLlmCall], provides = [RateLimitLeft])]
fn quota(ctx: &RailContext) -> Provide<RateLimitLeft> {
    match 10_u32.checked_sub(ctx.step()) {
        Some(left) => Provide::value(RateLimitLeft(left)),
        None => Provide::abort("ten calls are enough"),
    }
}

rail_chain! {
    #[chain(priority = 25)]
    struct Quotas { quota }
}

rail_chain! {
    #[chain(priority = 20)]
    struct Limits { rate_limit }
}

rail_chain! {
    struct MyRails { Limits, Quotas }
}

fn main() {
    let _ = MyRails {};
}
