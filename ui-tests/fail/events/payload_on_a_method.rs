//! The message should say: `ToolCallInputs` is what events carry, and not an event.

use exo_rails::prelude::*;

struct Budget;

#[rail]
impl Budget {
    #[on(ToolCallInputs)]
    async fn before(&self, _: &ToolCallInputs) {}
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {}
