//! A verdict continues or aborts; what skips, retries or suspends is a `RailAction`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn no_shell(call: &ToolCallInputs) -> Verdict {
    match call.tool_name.as_str() {
        "shell" => Verdict::skip("no shell"),
        "crawl" => Verdict::retry("the crawler is busy"),
        "refund" => Verdict::suspend("a person has to approve it"),
        _ => Verdict::Continue,
    }
}

fn main() {}
