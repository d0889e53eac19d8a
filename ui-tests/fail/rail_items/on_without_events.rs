//! The message should say: `#[on]` needs the events of the method: write `#[on(PreToolCall)]`.

use exo_rails::prelude::*;

struct Budget;

#[rail]
impl Budget {
    #[on]
    async fn before(&self) {}
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {}
