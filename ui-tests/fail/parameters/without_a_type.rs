//! The message should say: (the compiler's own words) expected a parameter with a type.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
