//! The message should say: `on` is given twice.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], on = [Start])]
async fn guard(ctx: &RailContext) {
    println!("{}", ctx.step());
}

fn main() {
    let _ = rail_chain![guard];
}
