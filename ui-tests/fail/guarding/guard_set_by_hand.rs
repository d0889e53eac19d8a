//! The message should say: `Mine` is not a guard set, once; a guard set is a chain, or implements `Serves`.

use exo_rails::prelude::*;

struct Mine;

impl GuardSet for Mine {}

fn main() {
    let _ = Mine;
}
