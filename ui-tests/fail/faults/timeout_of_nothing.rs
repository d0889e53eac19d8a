//! The message should say: within no time, no rail decides

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], timeout = "0ms")]
async fn guard() {}

fn main() {}
