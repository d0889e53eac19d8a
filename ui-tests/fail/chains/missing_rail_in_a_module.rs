//! The message should say: there is no rail `budget` in `guards`.

use exo_rails::prelude::*;

mod guards {}

fn main() {
    let _ = rail_chain![guards::budget];
}
