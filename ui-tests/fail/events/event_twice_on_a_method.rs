//! The message should say: the event `Start` is listed twice: list it once.

use exo_rails::prelude::*;

struct Budget;

#[rail]
impl Budget {
    #[on(Start, Start)]
    async fn before(&self) {}
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {}
