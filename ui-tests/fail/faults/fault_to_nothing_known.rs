//! The message should say: no fault comes to `contine`; did you mean `continue`?

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], on_fault = "contine")]
fn guard() {}

fn main() {}
