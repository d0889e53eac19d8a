//! The message should say: `PreToolCall` does not carry `&ToolOutput`; it carries `&mut ToolCallInputs`.

use exo_rails::prelude::*;

struct Budget;

#[rail]
impl Budget {
    #[on(PreToolCall)]
    async fn before(&self, output: &ToolOutput) -> Verdict {
        Verdict::abort_if(output.is_error, "no output yet")
    }
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {}
