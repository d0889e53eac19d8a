//! The message should say: a rail takes a `RailContext`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn guard(ctx: &mut RunContext) {
    let _ = ctx;
}

#[rail(on = [Start])]
fn log(ctx: &RunContext) {
    let _ = ctx;
}

fn main() {
    let _ = rail_chain![guard, log];
}
