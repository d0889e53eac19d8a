//! The message should say: an event is the name of a type, as in `on = [PreToolCall]`; and nothing of `dyn`.

use exo_rails::prelude::*;

#[rail(on = [dyn Event])]
async fn guard(ctx: &RailContext) {
    println!("{}", ctx.step());
}

fn main() {
    let _ = rail_chain![guard];
}
