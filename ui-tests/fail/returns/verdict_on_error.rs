//! The message should say: `Error` can only be observed: a rail on it returns `()`.

use exo_rails::prelude::*;

#[rail(on = [events::Error])]
async fn guard(error: &RunError) -> Verdict {
    Verdict::abort(error.to_string())
}

fn main() {
    let _ = rail_chain![guard];
}
