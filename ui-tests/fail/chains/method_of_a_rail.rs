//! The message should say: list the type of the method in a field, `content_filter: ContentFilter`.

use exo_rails::prelude::*;

struct ContentFilter;

#[rail]
impl ContentFilter {
    #[on(PreToolCall)]
    fn check(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == "shell", "no shell")
    }
}

rail_chain! {
    struct Guards { ContentFilter::check }
}

fn main() {}
