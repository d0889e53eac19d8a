//! The message should say: a timeout ends a wait; make it an `async fn`

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], timeout = "2s")]
fn guard() {}

fn main() {}
