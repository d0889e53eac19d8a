//! The message should say: a timeout is a text with its unit, like `"2s"`

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], timeout = "2h")]
async fn guard() {}

fn main() {}
