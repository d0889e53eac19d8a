//! The message should say: the rail takes `RailContext` twice: leave one out.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(ctx: &mut RailContext, same: &RailContext) {
    println!("{} {}", ctx.step(), same.step());
}

fn main() {
    let _ = rail_chain![guard];
}
