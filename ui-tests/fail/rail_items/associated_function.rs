//! The message should say: write a rail function in a module or a function; for an `impl` block, write `#[rail]` above the block.

use exo_rails::prelude::*;

struct Budget;

impl Budget {
    #[rail(on = [PreToolCall])]
    async fn before(_: &ToolCallInputs) -> Verdict {
        Verdict::Continue
    }
}

fn main() {
    let _ = Budget::before(&ToolCallInputs::new("search"));
    let _ = Budget;
}
