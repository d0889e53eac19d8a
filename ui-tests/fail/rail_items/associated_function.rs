//! The message should say: a rail function stands in a module or a function; in an `impl` block, `#[rail]` stands on the block.

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
