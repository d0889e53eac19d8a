//! The message should say: the rail takes `Inputs<'_>` twice: leave one out.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(inputs: Inputs<'_>, same: Inputs<'_>) {
    println!("{} {}", inputs.point(), same.point());
}

fn main() {
    let _ = rail_chain![guard];
}
