//! The message should say: the events of a method have no brackets: `#[on(PreToolCall)]`.

use exo_rails::prelude::*;

struct Budget;

#[rail]
impl Budget {
    #[on([Start])]
    async fn before(&self) {}
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {}
