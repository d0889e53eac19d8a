//! The message should say: one block under `#[rail]` for each type. rustc says it with the name of a trait.

use exo_rails::prelude::*;

struct NoShell;

#[rail]
impl NoShell {
    #[on(PreToolCall)]
    async fn before(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == "shell", "no shell")
    }
}

#[rail]
impl NoShell {
    #[on(PostToolCall)]
    async fn after(&self, output: &ToolOutput) -> Verdict {
        Verdict::abort_if(output.is_error, "it failed")
    }
}

rail_chain! {
    struct Guards {
        no_shell: NoShell,
    }
}

fn main() {
    let _ = Guards { no_shell: NoShell };
}
