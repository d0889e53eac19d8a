//! The message should say: a chain takes its options in `#[chain(…)]`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn guard() {}

rail_chain! {
    #[rail(priority = 5)]
    struct Guards { guard }
}

fn main() {}
