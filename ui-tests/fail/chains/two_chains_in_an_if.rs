//! The compiler's own words: the two chains have different types.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn no_shell(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

#[rail(on = [PreToolCall])]
fn log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

fn main() {
    let strict = std::env::args().len() > 1;
    let _ = if strict { rail_chain![no_shell, log] } else { rail_chain![log] };
}
