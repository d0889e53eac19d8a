//! The message should say: `Warn` needs `RateLimitLeft` at `PreLlmCall`, and no rail of the chain provides it there.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

struct Warn;

#[rail]
impl Warn {
    #[on(PreLlmCall, needs = [RateLimitLeft])]
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
