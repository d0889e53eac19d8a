//! The message should say, at the number: a run takes a text or `InvokeInputs`; once.

use exo_rails::NoRails;
use exo_rails::prelude::*;

async fn act(order: u64, ctx: &mut RunContext) -> Result<InvokeOutput, RunError> {
    NoRails.guard_run(order, ctx, async |_: Permit<InvokeInputs>| Ok::<_, RunError>("done")).await
}

fn main() {
    let _ = act(1234, &mut RunContext::new("desk"));
}
