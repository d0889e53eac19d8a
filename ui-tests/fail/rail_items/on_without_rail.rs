//! The message should say: `#[on(PreToolCall)]` stands on methods in an `impl` block under `#[rail]`.

use exo_rails::prelude::*;

struct Budget;

impl Budget {
    #[on(PreToolCall)]
    async fn before(&self) {}
}

fn main() {
    let _ = Budget.before();
}
