//! The message should say, at the type of the field: it cannot be sent to another thread; once.

use std::sync::MutexGuard;

use exo_rails::prelude::*;

struct Held(MutexGuard<'static, String>);

#[rail]
impl Held {
    #[on(PreToolCall)]
    fn check(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == *self.0, "it is in use")
    }
}

rail_chain! {
    struct Rails { held: Held }
}

fn main() {}
