//! The message should say: the effect of a fault is a text

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], on_fault = abort)]
fn guard() {}

fn main() {}
