//! The message should say: the future of the rail is not `Send`: `Rc<u32>` is held across an `.await`.

use exo_rails::prelude::*;

use std::rc::Rc;

async fn pause() {}

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    let limit = Rc::new(3);
    pause().await;
    Verdict::abort_if(call.tool_name.len() > *limit, "too long")
}

fn main() {
    let _ = rail_chain![guard];
}
