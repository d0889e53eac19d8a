//! The message should say: expected `&mut ToolCallInputs`, found `&mut ModelCallInputs` (the compiler's own words).

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

async fn check() -> Result<(), RailFault> {
    let mut call = ModelCallInputs::default();
    let decision = rail_chain![guard].dispatch::<PreToolCall>(&mut call, &mut RunContext::new("demo")).await?;
    println!("{decision:?}");
    Ok(())
}

fn main() {
    let _ = check();
}
