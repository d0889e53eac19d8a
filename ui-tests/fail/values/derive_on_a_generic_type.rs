//! The message should say: a value that rails provide has no generic parameters; nothing about the rails.

use exo_rails::prelude::*;

#[derive(Provided)]
struct Left<T>(T);

#[rail(priority = 20, on = [PreLlmCall], provides = [Left<u32>])]
fn rate_limit(ctx: &RailContext) -> Left<u32> {
    Left(ctx.step())
}

#[rail(priority = 30, on = [PreLlmCall], needs = [Left<u32>])]
fn warn_when_low(left: &Left<u32>) {
    println!("{} calls left", left.0);
}

rail_chain! {
    struct MyRails { rate_limit, warn_when_low }
}

fn main() {
    let _ = MyRails {};
}
