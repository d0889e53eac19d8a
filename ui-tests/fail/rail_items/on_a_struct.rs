//! The message should say: a rail is an `async fn`, a `fn`, or an `impl` block of a type. For a struct: put `#[rail]` on its `impl` block.

use exo_rails::prelude::*;

#[rail(priority = 10)]
struct Budget {
    limit: u32,
}

fn main() {
    let _ = Budget { limit: 3 }.limit;
}
