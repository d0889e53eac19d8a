//! The message should say: each event is its own type: write `PreToolCall`; for each of them.

use exo_rails::prelude::*;

#[rail(on = [Event::PreToolCall, Event::PostToolCall, HookPoint::ToolError, Events::Error])]
async fn guard(ctx: &RailContext) {
    println!("{}", ctx.step());
}

fn main() {
    let _ = rail_chain![guard];
}
