//! The message should say: inside a run, take a context from its permit: `let mut ctx = run.context();`.

use exo_rails::prelude::*;

async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
}

async fn answer(rails: impl GuardSet, ctx: &mut RunContext) -> Result<InvokeOutput, RunError> {
    let agent = async move |_run: Permit<InvokeInputs>| {
        let output = rails.guard_tool_call(ToolCallInputs::new("search"), ctx, run_tool).await?;
        Ok::<_, RunError>(InvokeOutput::text(output.content))
    };
    exo_rails::NoRails.guard_run("Where is my order?", &mut RunContext::new("support"), agent).await
}

fn main() {
    let _ = answer(exo_rails::NoRails, &mut RunContext::new("support"));
}
