//! The message should say: `#[on(…)]` lists the events of the method: `#[on(PreToolCall)]`.

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
