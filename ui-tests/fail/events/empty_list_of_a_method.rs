//! The message should say: this list has no events: write at least one.

use exo_rails::prelude::*;

struct Budget;

#[rail]
impl Budget {
    #[on()]
    async fn before(&self) {}
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {}
