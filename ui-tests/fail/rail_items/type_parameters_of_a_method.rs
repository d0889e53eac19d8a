//! The message should say: a rail's method has no type parameters of its own: give them to the `impl` block.

use exo_rails::prelude::*;

struct Budget;

#[rail]
impl Budget {
    #[on(PreToolCall)]
    async fn before<T: Default + Send>(&self) {
        let _ = T::default();
    }
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {}
