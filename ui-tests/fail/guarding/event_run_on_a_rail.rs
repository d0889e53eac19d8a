//! The message should say: `guard` is a rail, not a guard set: list it in `rail_chain![guard]`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

async fn check(call: &mut ToolCallInputs, ctx: &mut RunContext) -> Result<bool, RailFault> {
    Ok(guard {}.dispatch::<PreToolCall>(call, ctx).await?.is_continue())
}

fn main() {
    let _ = check(&mut ToolCallInputs::new("search"), &mut RunContext::new("demo"));
}
