//! The message should say: a rail on `Error` only observes, and returns `()`.

use exo_rails::prelude::*;

#[rail(on = [Start, events::Error])]
async fn guard(run: &InvokeInputs) -> RailAction {
    RailAction::abort(run.input.text().to_string())
}

fn main() {
    let _ = rail_chain![guard];
}
