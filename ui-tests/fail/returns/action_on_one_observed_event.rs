//! The message should say: `Error` can only be observed: a rail on it returns `()`.

use exo_rails::prelude::*;

#[rail(on = [Start, events::Error])]
async fn guard(run: &InvokeInputs) -> RailAction {
    RailAction::abort(run.input.text().to_string())
}

fn main() {
    let _ = rail_chain![guard];
}
