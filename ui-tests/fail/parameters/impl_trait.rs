//! The message should say: a rail's parameter names its type.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: impl std::fmt::Debug) {
    println!("{call:?}");
}

fn main() {
    let _ = rail_chain![guard];
}
