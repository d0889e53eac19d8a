//! The message should say: a rail on `Dropped` is a plain `fn`.

use exo_rails::DroppedInputs;
use exo_rails::prelude::*;

#[rail(on = [Dropped])]
async fn bill(dropped: &DroppedInputs) {
    println!("{dropped:?}");
}

fn main() {
    let _ = rail_chain![bill];
}
