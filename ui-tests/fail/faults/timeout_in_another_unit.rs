//! The message should say: a timeout is a string with a unit, like `"2s"`

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], timeout = "2h")]
async fn guard() {}

fn main() {}
