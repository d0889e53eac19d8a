//! The message should say: `#[on(…)]` stands on the methods that guard an event.

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
