//! The message should say: a function is one rail: list all its events in one `#[rail]`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
#[rail(on = [Start])]
async fn guard(ctx: &RailContext) -> Verdict {
    Verdict::abort_if(ctx.step() > 9, "too many steps")
}

fn main() {
    let _ = rail_chain![guard];
}
