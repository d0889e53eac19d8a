//! The messages should say: no rail before `Warnings` provides what it needs; a rail after it does; it names a value that
//! none of its rails needs; `Unknown` is not a value.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[derive(Provided)]
struct Caller(u32);

struct Unknown;

#[rail(priority = 40, on = [PreLlmCall], provides = [RateLimitLeft])]
fn rate_limit(ctx: &RailContext) -> RateLimitLeft {
    RateLimitLeft(10 - ctx.step().min(10))
}

#[rail(on = [PreLlmCall], needs = [RateLimitLeft])]
fn warn_when_low(left: &RateLimitLeft) {
    println!("{}", left.0);
}

rail_chain! {
    #[chain(priority = 30, needs = [RateLimitLeft])]
    struct Warnings { warn_when_low }
}

rail_chain! { struct WithoutProvider { Warnings } }

rail_chain! { struct TooLate { rate_limit, Warnings } }

rail_chain! {
    #[chain(needs = [RateLimitLeft, Caller])]
    struct TooMuch { warn_when_low }
}

rail_chain! {
    #[chain(needs = [Unknown])]
    struct NotAValue { warn_when_low }
}

fn main() {
    let _ = (WithoutProvider {}, TooLate {}, TooMuch {}, NotAValue {});
}
