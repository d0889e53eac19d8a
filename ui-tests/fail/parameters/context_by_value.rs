//! The message should say: a rail borrows the context: write `&RailContext` or `&mut RailContext`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(ctx: RunContext) {
    println!("{}", ctx.step());
}

fn main() {
    let _ = rail_chain![guard];
}
