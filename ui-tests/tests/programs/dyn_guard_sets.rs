//! A guard set that is chosen when the program runs, in each way to write it.

#![deny(warnings)]

use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails::{DynGuardSet, NoRails};

#[rail(on = [PreToolCall])]
fn log() {}

fn boxed(guarded: bool) -> Box<dyn GuardSet> {
    if guarded { Box::new(rail_chain![log]) } else { Box::new(NoRails) }
}

fn shared(guarded: bool) -> Arc<dyn GuardSet + Send + Sync> {
    if guarded { Arc::new(rail_chain![log]) } else { Arc::new(RailManager::new()) }
}

fn chosen(guarded: bool) -> DynGuardSet {
    if guarded { rail_chain![log].into() } else { HookManager::new().into() }
}

async fn by_reference(rails: &dyn GuardSet, ctx: &mut RunContext) -> Result<ToolOutput, RunError> {
    let decision = (&rails).dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), ctx).await?;
    assert!(decision.is_continue());
    rails.guard_tool_call(ToolCallInputs::new("search"), ctx, search).await
}

async fn search(_: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text("found"))
}

async fn in_a_task<R: GuardSet + 'static>(rails: R) {
    let mut ctx = RunContext::new("demo");
    let output = rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, search).await;
    assert_eq!(output.map(|output| output.content).unwrap_or_default(), "found");
}

#[tokio::test]
async fn compiles_and_runs() -> Result<(), RunError> {
    for guarded in [true, false] {
        in_a_task(boxed(guarded)).await;
        in_a_task(shared(guarded)).await;
        in_a_task(chosen(guarded)).await;
        by_reference(&*boxed(guarded), &mut RunContext::new("demo")).await?;
        by_reference(&chosen(guarded), &mut RunContext::new("demo")).await?;
    }
    Ok(())
}
