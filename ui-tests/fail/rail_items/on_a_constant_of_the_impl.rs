//! The message should say: only a method can have `#[on(…)]`: write it above a method.

use exo_rails::prelude::*;

struct Budget;

#[rail]
impl Budget {
    #[on(PreToolCall)]
    const LIMIT: u32 = 3;
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {}
