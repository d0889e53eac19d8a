//! The message should say: a rail around `ToolCall` returns `Result<ToolOutput, OperationError>`.

use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;
use exo_rails::Next;

struct Limit;

#[rail]
impl Limit {
    #[on(PreToolCall, around)]
    async fn limit(&self, next: impl Next<ToolCall>) -> Result<ToolOutput, RunError> {
        Ok(next.run().await?)
    }
}

rail_chain! {
    struct Guards {
        limit: Limit,
    }
}

fn main() {
    let _ = Guards { limit: Limit };
}
