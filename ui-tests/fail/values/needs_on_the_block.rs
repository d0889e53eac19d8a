//! The message should say: `needs` is an option of one method: write it in its `#[on(PreToolCall, …)]`; nothing about the parameter.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

struct Warn;

#[rail(needs = [RateLimitLeft])]
impl Warn {
    #[on(PreLlmCall)]
    fn when_low(&self, left: &RateLimitLeft) {
        println!("{} calls left", left.0);
    }
}

rail_chain! {
    struct MyRails { warn: Warn }
}

fn main() {
    let _ = MyRails { warn: Warn };
}
