//! The message should say: a panic can be made a fault: `on_panic = "fault"`

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], on_panic = fault)]
fn guard() {}

fn main() {}
