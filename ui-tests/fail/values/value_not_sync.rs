//! The message should say: `Cell<u32>` cannot be shared between threads; at the value.

use exo_rails::prelude::*;

use std::cell::Cell;

#[derive(Provided)]
struct RateLimitLeft(Cell<u32>);

fn main() {
    let _ = RateLimitLeft(Cell::new(3)).0;
}
