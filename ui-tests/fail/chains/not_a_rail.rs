//! The message should say: `Budget` is not a rail.

use exo_rails::prelude::*;

struct Budget {}

fn main() {
    let _ = rail_chain![Budget];
}
