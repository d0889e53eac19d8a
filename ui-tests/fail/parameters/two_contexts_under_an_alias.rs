//! The message should say: the rail takes the context twice: leave one out.

use exo_rails::prelude::*;

type Context = RailContext;

#[rail(on = [PreToolCall])]
async fn guard(ctx: &mut RailContext, same: &Context) {
    println!("{} {}", ctx.step(), same.step());
}

fn main() {
    let _ = rail_chain![guard];
}
