//! The message should say, once: the future of the rail is not `Send`: `limit` is held across an `.await`.

use exo_rails::prelude::*;

use std::rc::Rc;

async fn pause() {}

#[rail(on = [Start, PreLlmCall, PreToolCall, Finished])]
async fn guard(ctx: &RailContext) -> Verdict {
    let limit = Rc::new(3);
    pause().await;
    Verdict::abort_if(ctx.step() > *limit, "too many steps")
}

fn main() {
    let _ = rail_chain![guard];
}
