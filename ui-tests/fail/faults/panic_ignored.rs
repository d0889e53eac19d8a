//! The message should say: a panic can be made a fault: `on_panic = "fault"`

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], on_panic = "ignore")]
fn guard() {}

fn main() {}
