//! The message should say: the name `Guards` is defined twice (the compiler's own words).

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

rail_chain! {
    struct Guards {
        guard,
    }
}

rail_chain! {
    struct Guards {
        guard,
    }
}

fn main() {
    let _ = Guards;
}
