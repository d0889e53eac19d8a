//! The message should say: a rail on `PreLlmCall` cannot return `Provide<RateLimitLeft, ToolOutput>`: the substitute there is a `ModelResponse`.

use exo_rails::prelude::*;

#[derive(Provided)]
struct RateLimitLeft(u32);

#[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft])]
fn rate_limit(ctx: &RailContext) -> Provide<RateLimitLeft, ToolOutput> {
    Provide::skip_with(ToolOutput::text("no"), format!("step {}", RateLimitLeft(ctx.step()).0))
}

rail_chain! {
    struct MyRails { rate_limit }
}

fn main() {
    let _ = MyRails {};
}
