//! The message should say: a rail that runs concurrently with others only reads, so it takes what it has by `&`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], concurrent)]
async fn shorten(call: &mut ToolCallInputs, ctx: &mut RailContext) {
    call.arguments["limit"] = 3.into();
    ctx.extra.insert(3_u8);
}

#[rail(on = [PreToolCall], concurrent)]
async fn union(inputs: Inputs<'_>) {}

rail_chain! {
    #[chain(concurrent)]
    struct Judges { shorten, union }
}

fn main() {}
