//! The message should say: a rail with `always` only observes: it cannot return `Verdict`.

use exo_rails::prelude::*;

struct Audit;

#[rail]
impl Audit {
    #[on(PreToolCall, always)]
    fn call(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == "shell", "no shell")
    }
}

rail_chain! {
    struct MyRails { audit: Audit }
}

fn main() {
    let _ = MyRails { audit: Audit };
}
