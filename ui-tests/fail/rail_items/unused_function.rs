//! The message should say: function `guard` is never used: once, and nothing about the type beside it.

#![deny(warnings, dead_code)]

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

fn main() {}
