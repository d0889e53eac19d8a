//! The message should say: the timeout is zero: write a longer time

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], timeout = "0ms")]
async fn guard() {}

fn main() {}
