//! The message should say: `on_panic` has only one value: write `on_panic = "fault"`

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], on_panic = fault)]
fn guard() {}

fn main() {}
