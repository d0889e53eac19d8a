//! The message should say: the rail provides `RateLimitLeft`, but returns `RailAction`: return `Provide<RateLimitLeft>`.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft])]
fn rate_limit(ctx: &RailContext) -> RailAction {
    if ctx.step() > 9 { RailAction::abort("enough") } else { RailAction::Continue }
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
