//! The message should say: `RateLimitLeft` is not a value that rails provide: derive `Provided`; nothing about the chain.

use exo_rails::prelude::*;

struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreLlmCall], needs = [RateLimitLeft])]
fn warn_when_low(left: &RateLimitLeft) {
    println!("{} calls left", left.0);
}

rail_chain! {
    struct MyRails { warn_when_low }
}

fn main() {
    let _ = MyRails {};
}
