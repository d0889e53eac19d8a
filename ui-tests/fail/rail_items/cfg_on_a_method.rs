//! The message should say: `#[cfg]` cannot stand on a method with `#[on(…)]`: write two `impl` blocks.

use exo_rails::prelude::*;

struct Budget;

#[rail]
impl Budget {
    #[on(Start)]
    fn begin(&self) {}

    #[cfg(any())]
    #[on(Finished)]
    fn end(&self) {}
}

fn main() {}
