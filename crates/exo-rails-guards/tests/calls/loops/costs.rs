//! Allocations and memory.

use exo_rails::prelude::*;
use serde_json::json;

use crate::loops::support::rails;

/// Dispatches the events of a call without the guard of the operation, which allocates.
async fn call(rails: &impl GuardSet, call: &mut ToolCallInputs, output: &mut ToolOutput, ctx: &mut RunContext) {
    assert!(rails.dispatch::<PreToolCall>(call, ctx).await.unwrap().is_continue());
    assert!(rails.dispatch::<PostToolCall>((call, output), ctx).await.unwrap().is_continue());
}

#[test]
fn a_call_that_is_not_part_of_a_loop_allocates_nothing() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let rails = rails("");
    let mut ctx = RunContext::new("demo");
    let mut calls: Vec<_> = (0..400)
        .map(|page| ToolCallInputs::new("search").with_arguments(json!({ "q": "x".repeat(200), "page": page })))
        .collect();
    let mut output = ToolOutput::text("nothing");
    // The history has grown to its full size.
    for inputs in &mut calls[..200] {
        runtime.block_on(call(&rails, inputs, &mut output, &mut ctx));
    }
    let info = allocation_counter::measure(|| {
        for inputs in &mut calls[200..] {
            runtime.block_on(call(&rails, inputs, &mut output, &mut ctx));
        }
    });
    assert_eq!(info.count_total, 0);
}
