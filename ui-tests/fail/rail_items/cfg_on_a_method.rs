//! The message should say: a method with `#[on(…)]` cannot have a `#[cfg]`: write two `impl` blocks.

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
