//! The message should say: a method names the event `Start` itself, not its runtime value `HookPoint::Start`.

use exo_rails::prelude::*;

struct Budget;

#[rail]
impl Budget {
    #[on(HookPoint::Start)]
    async fn before(&self) {}
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {}
