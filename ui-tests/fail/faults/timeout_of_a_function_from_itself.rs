//! The message should say: a function has no `self`: write a constant, `timeout = LIMIT`, or make the rail a type with a field.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], timeout = self.limit)]
async fn guard() {}

fn main() {
    let _ = rail_chain![guard];
}
