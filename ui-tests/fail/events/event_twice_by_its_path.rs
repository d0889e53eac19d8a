//! The message should say: the event `Start` is listed twice: list it once.

use exo_rails::prelude::*;

#[rail(on = [Start, exo_rails::events::Start])]
async fn guard(ctx: &RailContext) {
    println!("{}", ctx.step());
}

fn main() {
    let _ = rail_chain![guard];
}
