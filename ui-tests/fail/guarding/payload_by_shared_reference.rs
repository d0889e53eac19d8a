//! The message should say: expected `&mut ToolCallInputs`, found `&ToolCallInputs` (the compiler's own words).

use exo_rails::prelude::*;
use exo_rails::NoRails;

async fn check(call: &ToolCallInputs, ctx: &mut RunContext) -> Result<bool, RailFault> {
    Ok(NoRails.dispatch::<PreToolCall>(call, ctx).await?.is_continue())
}

fn main() {
    let _ = check(&ToolCallInputs::new("search"), &mut RunContext::new("demo"));
}
