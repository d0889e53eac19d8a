//! The message should say: there is no `my_rails` here (the compiler's own words).

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], crate = my_rails)]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
