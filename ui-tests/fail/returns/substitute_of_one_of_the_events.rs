//! The message should say: a `ToolOutput` cannot be the substitute for the output of a run: the rail is on `Start` too.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall, Start])]
async fn guard(ctx: &RailContext) -> RailAction<ToolOutput> {
    RailAction::skip_with(ToolOutput::text("cached"), ctx.agent().to_owned())
}

fn main() {
    let _ = rail_chain![guard];
}
