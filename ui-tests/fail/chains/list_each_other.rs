//! The message should say: `First` and `Second` list each other.

use exo_rails::prelude::*;

rail_chain! {
    struct First {
        Second,
    }
}

rail_chain! {
    struct Second {
        First,
    }
}

fn main() {
    let _ = First;
}
