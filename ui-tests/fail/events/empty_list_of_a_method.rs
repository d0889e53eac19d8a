//! The message should say: a rail guards at least one event: this list is empty.

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
