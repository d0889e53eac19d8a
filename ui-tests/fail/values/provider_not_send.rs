//! The message should say: the compiler's own words: the future returned by `rate_limit` is not `Send`; at its name.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

use std::rc::Rc;

async fn pause() {}

#[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft])]
async fn rate_limit(ctx: &RailContext) -> RateLimitLeft {
    let limit = Rc::new(10);
    pause().await;
    RateLimitLeft(*limit - ctx.step())
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
