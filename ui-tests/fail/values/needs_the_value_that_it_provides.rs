//! The message should say: `refresh` needs `RateLimitLeft` and provides it itself: a value has one provider, and that is another rail.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreLlmCall], needs = [RateLimitLeft], provides = [RateLimitLeft])]
fn refresh(left: &RateLimitLeft) -> RateLimitLeft {
    RateLimitLeft(left.0 + 1)
}

rail_chain! {
    struct MyRails { refresh }
}

fn main() {
    let _ = MyRails {};
}
