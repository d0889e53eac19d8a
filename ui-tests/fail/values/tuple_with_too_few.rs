//! The message should say: the rail provides `(RateLimitLeft, Caller)`, but returns `RateLimitLeft`.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[derive(Provided)]
struct Caller {
    name: String,
}

#[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft, Caller])]
fn rate_limit(ctx: &RailContext) -> RateLimitLeft {
    RateLimitLeft(ctx.step() + Caller { name: String::from("eve") }.name.len() as u32)
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
