//! The message should say: `String` is not a guard set; guard sets are chains, `RailManager`, `HookManager` and `NoRails`.

use exo_rails::prelude::*;

async fn check(call: &mut ToolCallInputs, ctx: &mut RunContext) -> Result<bool, RailFault> {
    Ok(String::from("none").dispatch::<PreToolCall>(call, ctx).await?.is_continue())
}

fn main() {
    let _ = check(&mut ToolCallInputs::new("search"), &mut RunContext::new("demo"));
}
