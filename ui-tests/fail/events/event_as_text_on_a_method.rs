//! The message should say: an event is written without quotes: `#[on(Start)]`.

use exo_rails::prelude::*;

struct Budget;

#[rail]
impl Budget {
    #[on("Start")]
    async fn before(&self) {}
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {}
