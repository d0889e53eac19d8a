//! The message should say: the rail `guard` is private.

use exo_rails::prelude::*;

mod guards {
    use exo_rails::prelude::*;

    #[rail(on = [PreToolCall])]
    async fn guard(call: &ToolCallInputs) -> Verdict {
        Verdict::abort(call.tool_name.clone())
    }
}

fn main() {
    let _ = rail_chain![guards::guard];
}
