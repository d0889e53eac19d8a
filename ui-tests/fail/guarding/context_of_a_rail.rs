//! The message should say: the context of a rail is not one of a run, which `ctx.child()` is (the compiler's own words).

use exo_rails::NoRails;
use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn asks_in_its_own_context(ctx: &mut RailContext) -> Result<(), RailFault> {
    let mut call = ToolCallInputs::new("search");
    NoRails.dispatch::<PreToolCall>(&mut call, ctx).await?;
    Ok(())
}

fn main() {}
