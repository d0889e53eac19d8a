//! The message should say: `?` cannot turn the `Elapsed` of tokio into an `OperationError`. Map it:
//! `.map_err(|_| OperationError::new(OperationErrorKind::Timeout, "…"))?`.

use std::time::Duration;

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

struct Patience {
    limit: Duration,
}

#[rail(priority = 10)]
impl Patience {
    #[on(PreToolCall, around)]
    async fn wait(&self, call: &ToolCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        let mut output = tokio::time::timeout(self.limit, next.run()).await??; // <- here
        output.content.insert_str(0, &format!("{}: ", call.tool_name));
        Ok(output)
    }
}

rail_chain! {
    struct ScraperRails { patience: Patience }
}

fn main() {
    let _ = ScraperRails { patience: Patience { limit: Duration::from_secs(20) } };
}
