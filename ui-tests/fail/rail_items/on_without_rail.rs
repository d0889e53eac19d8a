//! The message should say: `#[on(PreToolCall)]` stands on the methods of an `impl` block under `#[rail]`.

use exo_rails::prelude::*;

struct Budget;

impl Budget {
    #[on(PreToolCall)]
    async fn before(&self, _: &ToolCallInputs) {}
}

fn main() {
    let _ = Budget.before(&ToolCallInputs::new("search"));
}
