//! The message should say: a dropped decision has no effect: act on it.

#![deny(unused_must_use)]

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

async fn check(call: &mut ToolCallInputs) -> Result<(), RailFault> {
    rail_chain![guard].dispatch::<PreToolCall>(call, &mut RunContext::new("demo")).await?;
    Ok(())
}

fn main() {
    let _ = check(&mut ToolCallInputs::new("search"));
}
