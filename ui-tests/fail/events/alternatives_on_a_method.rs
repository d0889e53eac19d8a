//! The message should say: events have commas between them, `#[on(PreToolCall, PostToolCall)]`; once.

use exo_rails::prelude::*;

struct NoShell;

#[rail]
impl NoShell {
    #[on(PreToolCall | PostToolCall)]
    async fn check(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == "shell", "no shell")
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
