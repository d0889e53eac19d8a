//! The message should say: the chain calls a rail with `always` even if no rail provided `RateLimitLeft`: call `ctx.provided::<RateLimitLeft>()`.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreToolCall], provides = [RateLimitLeft])]
fn rate_limit(ctx: &RailContext) -> Provide<RateLimitLeft> {
    match 10_u32.checked_sub(ctx.step()) {
        Some(left) => Provide::value(RateLimitLeft(left)),
        None => Provide::abort("ten calls are enough"),
    }
}

#[rail(priority = 90, on = [PreToolCall], always, needs = [RateLimitLeft])]
fn audit(left: &RateLimitLeft) {
    println!("{}", left.0);
}

rail_chain! {
    struct MyRails { rate_limit, audit }
}

fn main() {
    let _ = MyRails {};
}
