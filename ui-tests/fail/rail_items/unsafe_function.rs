//! The message should say: a rail is not `unsafe`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async unsafe fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
