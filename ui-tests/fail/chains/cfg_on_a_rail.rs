//! The message should say: `#[cfg]` cannot stand on a rail in a chain: write two chains.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn guard() {}

#[cfg(any())]
#[rail(on = [PreToolCall])]
fn sometimes() {}

rail_chain! {
    struct Guards {
        guard,
        #[cfg(any())]
        sometimes,
    }
}

fn main() {
    let _ = Guards {};
}
