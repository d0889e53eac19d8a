//! The message should say: `around` is an option of the method.

use exo_rails::operations::ToolCall;
use exo_rails::Next;
use exo_rails::prelude::*;

struct Timed;

#[rail(around)]
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
