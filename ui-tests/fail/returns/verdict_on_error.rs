//! The message should say: a rail on `Error` only observes, and returns `()`.

use exo_rails::prelude::*;

#[rail(on = [events::Error])]
async fn guard(error: &RunError) -> Verdict {
    Verdict::abort(error.to_string())
}

fn main() {
    let _ = rail_chain![guard];
}
