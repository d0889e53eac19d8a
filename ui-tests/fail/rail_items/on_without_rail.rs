//! The message should say: `#[on(…)]` is for methods of an `impl` block with `#[rail]`.

use exo_rails::prelude::*;

struct Budget;

impl Budget {
    #[on(PreToolCall)]
    async fn before(&self, _: &ToolCallInputs) {}
}

fn main() {
    let _ = Budget.before(&ToolCallInputs::new("search"));
}
