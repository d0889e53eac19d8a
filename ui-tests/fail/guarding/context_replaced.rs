//! The message should say: a rail cannot make a context, so it cannot replace its own with one without cancellation.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn forgets(ctx: &mut RailContext) {
    *ctx = RailContext::new("another run");
}

#[rail(on = [PreToolCall])]
fn takes_a_fresh_one(ctx: &mut RailContext) {
    *ctx = RunContext::new("another run");
}

fn main() {}
