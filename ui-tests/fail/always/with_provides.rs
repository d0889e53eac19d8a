//! The message should say: a rail with `always` only observes, so it cannot provide values: leave out `always`.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 90, on = [PreToolCall], always, provides = [RateLimitLeft])]
fn audit(ctx: &RailContext) -> RateLimitLeft {
    RateLimitLeft(ctx.step())
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = (MyRails {}, RateLimitLeft(3).0);
}
