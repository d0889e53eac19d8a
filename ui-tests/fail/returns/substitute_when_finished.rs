//! The message should say: after the run a skip brings no substitute: change the output by `&mut InvokeOutput`.

use exo_rails::prelude::*;

#[rail(on = [Finished])]
async fn guard(output: &InvokeOutput) -> RailAction<InvokeOutput> {
    RailAction::skip_with(InvokeOutput::text("hidden"), output.text.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
