//! The message should say: `String` is not an event; the events are in `exo_rails::prelude`

use exo_rails::prelude::*;

#[rail(on = [String])]
async fn guard(ctx: &RailContext) -> RailAction {
    RailAction::abort(format!("{} is off limits", ctx.agent()))
}

fn main() {
    let _ = rail_chain![guard];
}
