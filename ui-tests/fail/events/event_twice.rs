//! The message should say: the event `Start` is listed twice: list it once.

use exo_rails::prelude::*;

#[rail(on = [Start, PreToolCall, Start])]
async fn guard(ctx: &RailContext) -> RailAction {
    RailAction::abort(format!("{} is off limits", ctx.agent()))
}

fn main() {
    let _ = rail_chain![guard];
}
