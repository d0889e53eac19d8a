//! The message should say: a rail on `Error` only observes: a rail that provides there returns the value itself.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 20, on = [events::Error], provides = [RateLimitLeft])]
fn rate_limit(ctx: &RailContext) -> Provide<RateLimitLeft> {
    Provide::value(RateLimitLeft(ctx.step()))
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
