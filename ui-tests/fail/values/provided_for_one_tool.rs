//! The message should say: a rail for one tool provides nothing, because it is not called for the others.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreToolCall], provides = [RateLimitLeft], tool = "delete_file")]
fn rate_limit(ctx: &RailContext) -> RateLimitLeft {
    RateLimitLeft(ctx.step())
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
