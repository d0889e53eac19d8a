//! The message should say: a rail on `Error` only observes, and returns `()`, or `Result<(), E>`.

use exo_rails::prelude::*;

#[rail(on = [events::Error])]
async fn guard(error: &RunError) -> Result<Verdict, String> {
    Err(error.to_string())
}

fn main() {
    let _ = rail_chain![guard];
}
