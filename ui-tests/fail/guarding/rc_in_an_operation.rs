//! The message should say: `limit` is an `Rc`, which is kept across the await of `pause()`.

use std::rc::Rc;

use exo_rails::prelude::*;

async fn pause() {}

async fn shorten(rails: impl GuardSet, ctx: &mut RunContext) -> Result<ToolOutput, RunError> {
    let call = ToolCallInputs::new("search");
    let tool = async |call: Permit<ToolCallInputs>| {
        let limit = Rc::new(3);
        pause().await;
        Ok::<_, OperationError>(ToolOutput::text(&call.tool_name[..*limit]))
    };
    rails.guard_tool_call(call, ctx, tool).await
}

fn main() {
    let _ = shorten(exo_rails::NoRails, &mut RunContext::new("support"));
}
