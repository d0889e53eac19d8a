//! The message should say: a context cannot be swapped with a fresh one, taken out, or given other values (the compiler's own words).

use exo_rails::SharedExtensions;
use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn swaps(ctx: &mut RailContext) {
    std::mem::swap(ctx, &mut ctx.child());
}

#[rail(on = [PreToolCall])]
fn takes(ctx: &mut RailContext) {
    let _ = std::mem::take(ctx);
}

#[rail(on = [PreToolCall])]
fn copies(ctx: &mut RailContext) {
    *ctx = RunContext::new("another run").clone();
}

#[rail(on = [PreToolCall])]
fn gives_other_values(ctx: &mut RailContext) {
    ctx.run = SharedExtensions::default();
}

fn main() {}
