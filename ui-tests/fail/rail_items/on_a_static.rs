//! The message should say: a rail is an `async fn`, a `fn`, or an `impl` block of a type.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
static LIMIT: u32 = 3;

fn main() {
    let _ = LIMIT;
}
