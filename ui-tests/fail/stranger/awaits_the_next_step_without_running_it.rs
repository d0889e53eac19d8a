//! The message should say: `next` is the operation, and not a future. Run it: write `next.run().await`.

use std::time::Instant;

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

/// Prints how long each command of the build agent takes.
#[rail(priority = 10, on = [PreToolCall], around)]
async fn stopwatch(call: &ToolCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    let started = Instant::now();
    let output = next.await?; // <- here
    println!("{} took {:?}", call.tool_name, started.elapsed());
    Ok(output)
}

rail_chain! {
    struct BuildRails { stopwatch }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let compile = |_| async { Ok::<_, OperationError>("12 crates compiled") };
    let output = BuildRails.guard_tool_call(ToolCallInputs::new("cargo"), &mut RunContext::new("ci"), compile).await?;
    assert_eq!(output.content, "12 crates compiled");
    Ok(())
}
