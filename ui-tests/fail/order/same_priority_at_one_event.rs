//! The message should say: `permission_check` and `size_limit` both have priority 10 at `PreToolCall`, and the chain has `unique_priorities`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

#[rail(priority = 90, on = [PreToolCall, PostToolCall])]
fn audit_log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

#[rail(priority = 10, on = [PreToolCall])]
fn size_limit(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name.len() > 64, "too long")
}

rail_chain! {
    #[chain(unique_priorities)]
    struct MyRails { permission_check, size_limit }
}

fn main() {
    let _ = MyRails {};
}
