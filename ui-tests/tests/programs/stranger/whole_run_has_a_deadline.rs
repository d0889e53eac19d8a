//! What it shows: a rail around the whole run, which reads the scope before it runs `next`, and answers when the time is over.

use std::time::Duration;

use exo_rails::Next;
use exo_rails::operations::Run;
use exo_rails::prelude::*;

/// Long questions get more time.
#[rail(priority = 10, on = [Start], around)]
async fn deadline(run: &InvokeInputs, next: impl Next<Run>) -> Result<InvokeOutput, RunError> {
    let limit = Duration::from_millis(if run.input.text().len() > 20 { 10_000 } else { 5 });
    let agent = next.scope().agent().to_owned();
    match tokio::time::timeout(limit, next.run()).await {
        Ok(ended) => ended,
        Err(_) => Ok(InvokeOutput::text(format!("{agent} had no time"))),
    }
}

#[rail(priority = 90, on = [Finished])]
fn signature(output: &mut InvokeOutput, ctx: &RailContext) {
    output.text.push_str(&format!(" [{}]", ctx.run_id()));
}

rail_chain! {
    struct OracleRails { signature, deadline }
}

async fn ponder(run: Permit<InvokeInputs>) -> Result<String, RunError> {
    tokio::time::sleep(Duration::from_millis(40)).await;
    Ok(run.input.text().to_uppercase())
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let mut ctx = RunContext::new("oracle").with_run_id("r-1");
    let output = OracleRails.guard_run("Why?", &mut ctx, ponder).await?;
    assert_eq!(output.text, "oracle had no time [r-1]");
    let output = OracleRails.guard_run("Why is the sky so blue?", &mut ctx, ponder).await?;
    assert_eq!(output.text, "WHY IS THE SKY SO BLUE? [r-1]");
    Ok(())
}
