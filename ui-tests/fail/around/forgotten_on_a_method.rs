//! The message should say: write `#[on(PreToolCall, around)]`.

use exo_rails::operations::ToolCall;
use exo_rails::Next;
use exo_rails::prelude::*;

struct Timed;

#[rail]
impl Timed {
    #[on(PreToolCall)]
    async fn run(&self, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        next.run().await
    }
}

rail_chain! {
    struct Rails { timed: Timed }
}

fn main() {}
