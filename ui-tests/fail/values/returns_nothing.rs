//! The message should say: the rail provides `RateLimitLeft`, but returns `()`; at the name of the function or the value.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft])]
fn rate_limit(ctx: &RailContext) {
    println!("{}", RateLimitLeft(ctx.step()).0);
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
