//! The message should say: `on_fault` has no value `contine`; did you mean `continue`?

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], on_fault = "contine")]
fn guard() {}

fn main() {}
