//! What it shows: a helper that is generic over the guard set, the closure, its future and its error type, called with different
//! ones.

use exo_rails::prelude::*;
use exo_rails::{DynGuardSet, NoRails};

async fn guarded<R, F, Fut, E>(rails: &R, tool: &str, ctx: &mut RunContext, run: F) -> Result<String, RunError>
where
    R: GuardSet,
    F: FnMut(Permit<ToolCallInputs>) -> Fut + Send,
    Fut: Future<Output = Result<String, E>> + Send,
    E: std::error::Error + Send + Sync + 'static,
{
    ctx.set_step(ctx.step() + 1);
    let output = rails.guard_tool_call(ToolCallInputs::new(tool), ctx, run).await?;
    Ok(format!("{}: {}", ctx.step(), output.content))
}

#[rail(priority = 10, on = [PreToolCall])]
fn no_parsing(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "parse" { RailAction::skip("nothing is parsed") } else { RailAction::Continue }
}

async fn parse(call: Permit<ToolCallInputs>) -> Result<String, std::num::ParseIntError> {
    let number: u32 = call.tool_name.parse()?;
    Ok(number.to_string())
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let mut ctx = RunContext::new("helper");
    assert!(guarded(&NoRails, "parse", &mut ctx, parse).await?.ends_with("invalid digit found in string (failed)"));
    let rails = DynGuardSet::new(rail_chain![no_parsing]);
    assert!(guarded(&rails, "parse", &mut ctx, parse).await?.ends_with("nothing is parsed"));
    assert_eq!(guarded(&&rails, "12", &mut ctx, parse).await?, "3: 12");

    let mut calls = Vec::new();
    let remember = |call: Permit<ToolCallInputs>| {
        calls.push(call.tool_name.clone());
        let count = calls.len();
        async move { Ok::<_, OperationError>(format!("{count} calls")) }
    };
    assert_eq!(guarded(&rails, "remember", &mut ctx, remember).await?, "4: 1 calls");
    assert_eq!(calls, ["remember"]);
    Ok(())
}
