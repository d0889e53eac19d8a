//! The message should say: `Inputs<'_>` is a borrow already: take it by value.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(inputs: &mut Inputs<'_>) {
    println!("{}", inputs.point());
}

fn main() {
    let _ = rail_chain![guard];
}
